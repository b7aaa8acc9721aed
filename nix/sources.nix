# setup/sources.txt as fetchurl calls, by the name before the first underscore of the file.
{ lib, fetchurl }:

let
  lines = lib.filter (line: builtins.match "[0-9a-f]{64} .*" line != null) (
    lib.splitString "\n" (builtins.readFile ../setup/sources.txt)
  );
  source =
    line:
    let
      fields = lib.splitString " " line;
      path = lib.last fields;
    in
    {
      name = builtins.head (lib.splitString "_" (baseNameOf path));
      value = fetchurl {
        name = builtins.replaceStrings [ "+" ] [ "-" ] (baseNameOf path);
        url = "mirror://debian/${path}";
        sha256 = builtins.head fields;
      };
    };
in
builtins.listToAttrs (map source lines)
