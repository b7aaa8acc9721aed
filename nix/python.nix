# Python with the modules of the requirements.in files of setup, setup/boards and setup/docs. Programs written in Python but used as commands
# (Snakemake, ruff, ...) come from nixpkgs' own top level: see flake.nix.
{ pkgs }:

let
  inherit (pkgs) lib;

  applications = [ "snakemake" "clang-format" "ruff" "snakefmt" "zizmor" "esptool" ];
  lines = lib.splitString "\n" (
    builtins.readFile ../setup/requirements.in
    + builtins.readFile ../setup/boards/requirements.in
    + builtins.readFile ../setup/docs/requirements.in
  );
  name = line: builtins.head (builtins.match "([A-Za-z0-9_.-]+).*" line);
  wanted = map name (lib.filter (line: builtins.match "[A-Za-z].*" line != null) lines);
in
pkgs.python3.withPackages (
  modules:
  let
    own = import ./rocrate.nix {
      inherit modules;
      inherit (pkgs) fetchPypi;
    };
  in
  map (module: own.${module} or modules.${module}) (lib.subtractLists applications wanted)
)
