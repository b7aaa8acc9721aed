# The tools of setup/apt.txt, and of setup/paper and setup/tests, by the nixpkgs attribute in its second column, so that the apt route
# and the Nix route give the same list. R packages and TeX collections are grouped.
{ pkgs, lx106 }:

let
  inherit (pkgs) lib;

  lines = lib.filter (line: line != "") (
    lib.splitString "\n" (
      builtins.readFile ../setup/apt.txt
      + builtins.readFile ../setup/paper/apt.txt
      + builtins.readFile ../setup/tests/apt.txt
    )
  );
  attributes = lib.unique (map (line: lib.last (lib.splitString " " line)) lines);
  grouped = prefix: map (lib.removePrefix prefix) (lib.filter (lib.hasPrefix prefix) attributes);
  isGrouped = name: lib.hasPrefix "rPackages." name || lib.hasPrefix "texlive." name;

  special = {
    inherit lx106;
    # Debian's name of a GDB with every architecture, as this one is.
    gdb = pkgs.writeShellScriptBin "gdb-multiarch" ''exec ${pkgs.gdb}/bin/gdb "$@"'';
    R = pkgs.rWrapper.override {
      packages = map (name: pkgs.rPackages.${name}) (grouped "rPackages.");
    };
    python3 = import ./python.nix { inherit pkgs; };
  };
  tool = name: special.${name} or (lib.getAttrFromPath (lib.splitString "." name) pkgs);

  tex = pkgs.texliveBasic.withPackages (
    tl: map (name: tl.${name}) (grouped "texlive.")
  );
in
map tool (lib.filter (name: !isGrouped name) attributes) ++ [ tex ]
