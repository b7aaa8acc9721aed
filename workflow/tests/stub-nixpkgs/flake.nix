# Stands in for nixpkgs where nothing can be downloaded: the attributes that the flake may use (each
# looked up in nixos-25.11), the few library functions it calls, and derivations without content.
{
  outputs =
    { self }:
    let
      lib = import ./lib.nix;
      package = name: {
        inherit name;
        type = "derivation";
        outPath = "/stub/${name}";
        drvPath = "/stub/${name}.drv";
      };
      named = names: builtins.listToAttrs (map (name: { inherit name; value = package name; }) names);
      lines = file: builtins.filter (line: line != "") (lib.splitString "\n" (builtins.readFile file));
      modules = named (lines ./python-modules.txt) // {
        buildPythonPackage = args: package args.pname // args;
      };
      pkgs =
        named (lines ./top-level.txt)
        // {
          inherit lib;
          inherit (pkgs) stdenv;
        }
        // rec {
          fetchurl = args: package args.name // args;
          fetchPypi = args: package args.pname // args;
          stdenv = {
            mkDerivation = args: package args.pname // args;
            cc.cc.lib = package "gcc-lib";
          };
          mkShell = args: package "shell" // args;
          writeTextFile = args: package args.name // args;
          writeShellApplication = args: package args.name // args;
          writeShellScriptBin = name: text: package name // { inherit text; };
          buildEnv = args: package args.name // args;
          dockerTools.buildLayeredImage = args: package args.name // args;
          callPackage =
            path: extra:
            let
              function = import path;
              wanted = builtins.intersectAttrs (builtins.functionArgs function) (pkgs // { inherit stdenv fetchurl; });
            in
            function (wanted // extra);
          rWrapper.override = args: package "R" // args;
          rPackages = named (lines ./r-packages.txt);
          texliveBasic.withPackages = select: package "tex" // { packages = select (named (lines ./tex-packages.txt)); };
          python3.withPackages = select: package "python3" // { packages = select modules; };
          python3Packages = modules;
          glibc.static = package "glibc-static";
          pkgsStatic = named [ "busybox" ];
          llvmPackages_19 = named [ "clang-tools" ];
          linuxPackages.kernel = package "kernel" // { modules = package "kernel-modules"; };
        };
    in
    {
      legacyPackages.x86_64-linux = pkgs;
    };
}
