# NixOS: a host with boards (docs/hardware.md), by the services of setup/boards/host, whose programs come from nixpkgs.
#
#   imports = [ thinwire.nixosModules.boards ];
#   services.thinwire-boards = {
#     enable = true;
#     serial.pci_0000_00_14_0_usb_0_2_1_1_0 = 7801; # a board's name in /dev/thinwire and its line's port
#     cells = [ "cell1" ];                  # /etc/thinwire/cells/cell1/hostapd.conf: no secret is in the store
#     runner.url = "https://github.com/OWNER/NAME"; # and the token at /etc/thinwire/runner/token
#   };
{
  config,
  lib,
  pkgs,
  ...
}:
let
  cfg = config.services.thinwire-boards;
  labgrid = pkgs.python3.withPackages (modules: [ modules.labgrid ]);
  source = ../setup/boards/host;
  script =
    name:
    pkgs.writeShellApplication {
      inherit name;
      runtimeInputs = [
        pkgs.coreutils
        pkgs.gnused
        pkgs.hostapd
        pkgs.iproute2
        pkgs.iw
        pkgs.procps
        pkgs.systemd
      ];
      text = builtins.readFile (source + "/${name}");
    };
  programs = {
    "/opt/thinwire/.venv/bin/labgrid-coordinator" = "${labgrid}/bin/labgrid-coordinator";
    "/opt/thinwire/.venv/bin/labgrid-exporter" = "${labgrid}/bin/labgrid-exporter";
    "/opt/thinwire/.venv/bin/esp_rfc2217_server" = "${pkgs.esptool}/bin/esp_rfc2217_server";
    "/opt/thinwire/setup/boards/host/attach" = "${script "attach"}/bin/attach";
    "/opt/thinwire/setup/boards/host/cell" = "${script "cell"}/bin/cell";
    "/usr/bin/nsenter" = "${pkgs.util-linux}/bin/nsenter";
    "/usr/bin/unshare" = "${pkgs.util-linux}/bin/unshare";
    "/usr/sbin/ip" = "${pkgs.iproute2}/bin/ip";
  };
  unit =
    name:
    pkgs.writeTextFile {
      inherit name;
      destination = "/lib/systemd/system/${name}";
      text = builtins.replaceStrings (builtins.attrNames programs) (builtins.attrValues programs) (
        builtins.readFile (source + "/${name}")
      );
    };
  serials = builtins.attrNames cfg.serial;
in
{
  options.services.thinwire-boards = {
    enable = lib.mkEnableOption "physical boards for Thinwire";
    serial = lib.mkOption {
      type = lib.types.attrsOf lib.types.port;
      default = { };
      description = "The name of a board in /dev/thinwire, and the loopback's port of its line.";
    };
    cells = lib.mkOption {
      type = lib.types.listOf lib.types.str;
      default = [ ];
      description = "Cells, each with a file /etc/thinwire/cells/NAME/hostapd.conf, which the group thinwire reads.";
    };
    runner = {
      url = lib.mkOption {
        type = lib.types.nullOr lib.types.str;
        default = null;
        description = "The repository of GitHub's whose trials on boards run here.";
      };
      tokenFile = lib.mkOption {
        type = lib.types.str;
        default = "/etc/thinwire/runner/token";
        description = "A fine-grained token that may add runners to it: its permission Administration (write).";
      };
    };
  };

  config = lib.mkIf cfg.enable {
    systemd.packages = map unit [
      "labgrid-coordinator.service"
      "labgrid-exporter.service"
      "thinwire-cell@.service"
      "thinwire-serial@.service"
    ];
    # NixOS does not read a unit's [Install]
    systemd.targets.multi-user.wants = [
      "labgrid-coordinator.service"
      "labgrid-exporter.service"
    ]
    ++ map (name: "thinwire-cell@${name}.service") cfg.cells;
    # who runs trials: owner of the cells, without rights anywhere else
    users.users.thinwire = {
      isSystemUser = true;
      group = "thinwire";
    };
    users.groups.thinwire = { };
    # as thinwire-runner.service, which says why
    services.github-runners = lib.mkIf (cfg.runner.url != null) {
      thinwire = {
        enable = true;
        inherit (cfg.runner) url tokenFile;
        ephemeral = true;
        noDefaultLabels = true;
        extraPackages = [
          pkgs.iperf3
          pkgs.openssh
        ];
        extraLabels = [
          "self-hosted"
          "thinwire-boards"
        ];
        user = "thinwire";
        group = "thinwire";
        serviceOverrides = {
          IPAddressAllow = [
            "localhost"
            "10.77.0.0/16"
          ];
          IPAddressDeny = [
            "10.0.0.0/8"
            "172.16.0.0/12"
            "192.168.0.0/16"
            "fc00::/7"
            "link-local"
          ];
          PrivateUsers = false;
          ProtectProc = "default";
          RestrictAddressFamilies = [ "AF_PACKET" ];
          RestrictNamespaces = "user net";
          SystemCallFilter = [ "capset" ];
        };
      };
    };
    # these start thinwire-serial@; NixOS refuses rules with a path in /bin
    services.udev.extraRules =
      builtins.replaceStrings
        [ "/bin/sh" "| tr" ]
        [ "${pkgs.bash}/bin/sh" "| ${pkgs.coreutils}/bin/tr" ]
        (builtins.readFile (source + "/70-thinwire.rules"));
    environment.etc = builtins.listToAttrs (
      map (name: {
        name = "thinwire/serial/${name}";
        value.text = "PORT=${toString cfg.serial.${name}}\n";
      }) serials
    );
    # labgrid and the lines listen on loopback only
    networking.firewall.enable = true;
    # what trials leave of themselves: bundles are kept by whoever asked for them
    systemd.tmpfiles.rules = [ "e /tmp/.thinwire-* - - - 2d" ];
  };
}
