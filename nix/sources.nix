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
  # The kernel of the machine `uml`, as its authors publish it (setup/uml/sources.txt).
  upstream = builtins.head (
    lib.filter (line: line != null) (
      map (builtins.match "([0-9a-f]{64}) (v6.x/.*)") (
        lib.splitString "\n" (builtins.readFile ../setup/uml/sources.txt)
      )
    )
  );
in
builtins.listToAttrs (map source lines)
// {
  linux = fetchurl {
    name = baseNameOf (lib.last upstream);
    url = "mirror://kernel/linux/kernel/${lib.last upstream}";
    sha256 = builtins.head upstream;
  };
}
