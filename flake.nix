{
  description = "Thinwire: a reproducible laboratory for IoT messaging protocols";

  inputs = {
    nixpkgs.url = "github:NixOS/nixpkgs/nixos-25.11";
    paho-mqtt-sn = {
      url = "github:eclipse-paho/paho.mqtt-sn.embedded-c/07a95121fc40ee74de4695a23518a312fb802fe8";
      flake = false;
    };
  };

  outputs =
    {
      self,
      nixpkgs,
      paho-mqtt-sn,
    }:
    let
      system = "x86_64-linux";
      pkgs = nixpkgs.legacyPackages.${system};
      sources = import ./nix/sources.nix { inherit (pkgs) lib fetchurl; };
      lx106 = pkgs.callPackage ./nix/lx106.nix { };
      gateway = pkgs.callPackage ./nix/paho-mqtt-sn-gateway.nix { src = paho-mqtt-sn; };
      tools = import ./nix/tools.nix { inherit pkgs lx106; };
      commands = [
        gateway
        pkgs.snakemake
        # what pip's entry point is elsewhere; the working folder is the repository
        (pkgs.writeShellScriptBin "thinwire" ''exec python3 -m hil.cli "$@"'')
      ];
    in
    {
      packages.${system} = {
        lx106-toolchain = lx106;
        paho-mqtt-sn-gateway = gateway;
        libcoap3-source = sources.libcoap3;
        lwip-source = sources.lwip;
        mbedtls-source = sources.mbedtls;
        bearssl-source = sources.bearssl;
        linux-source = sources.linux;
        # `apptainer build build/container.sif docker-archive://result`
        container = pkgs.dockerTools.buildLayeredImage {
          name = "thinwire";
          contents = tools ++ commands;
        };
        default = lx106;
      };

      devShells.${system}.default = pkgs.mkShell {
        packages =
          tools
          ++ commands
          ++ [
            pkgs.biome
            pkgs.esptool
            pkgs.glibc.static # the machine `uml` is a static program
            pkgs.llvmPackages_19.clang-tools
            pkgs.platformio-core
            pkgs.python3Packages.west
            pkgs.ruff
            pkgs.snakefmt
            pkgs.zizmor
          ];
        # setup/install and setup/fetch read these instead of asking apt.
        THINWIRE_NIX = "1";
        THINWIRE_LWIP_SRC = sources.lwip;
        THINWIRE_MBEDTLS_SRC = sources.mbedtls;
        THINWIRE_LIBCOAP3_SRC = sources.libcoap3;
        THINWIRE_BEARSSL_SRC = sources.bearssl;
        THINWIRE_LINUX_SRC = sources.linux;
        THINWIRE_KERNEL = pkgs.buildEnv {
          name = "thinwire-kernel";
          paths = [
            pkgs.linuxPackages.kernel
            pkgs.linuxPackages.kernel.modules or pkgs.linuxPackages.kernel
          ];
        };
        shellHook = ''
          export PYTHONPATH="$PWD''${PYTHONPATH:+:$PYTHONPATH}"
        '';
      };

      nixosModules.boards = import ./nix/boards.nix;
      formatter.${system} = pkgs.nixfmt-rfc-style;
      checks.${system} = {
        inherit lx106 gateway;
      };
    };
}
