# NixOS: a host with boards (docs/hardware.md), by the services of setup/boards/host, whose programs come from nixpkgs.
#
#   imports = [ thinwire.nixosModules.boards ];
#   services.thinwire-boards = {
#     enable = true;
#     serial."0001" = 7801;                 # a USB adapter's number and its line's port
#     cells = [ "cell1" ];                  # /etc/thinwire/cells/cell1/hostapd.conf: no secret is in the store
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
  cell = pkgs.writeShellApplication {
    name = "cell";
    runtimeInputs = [
      pkgs.gnused
      pkgs.hostapd
      pkgs.iproute2
      pkgs.iw
      pkgs.procps
    ];
    text = builtins.readFile (source + "/cell");
  };
  programs = {
    "/opt/thinwire/.venv/bin/labgrid-coordinator" = "${labgrid}/bin/labgrid-coordinator";
    "/opt/thinwire/.venv/bin/labgrid-exporter" = "${labgrid}/bin/labgrid-exporter";
    "/opt/thinwire/.venv/bin/esp_rfc2217_server" = "${pkgs.esptool}/bin/esp_rfc2217_server";
    "/opt/thinwire/setup/boards/host/cell" = "${cell}/bin/cell";
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
    enable = lib.mkEnableOption "boards of silicon for Thinwire";
    serial = lib.mkOption {
      type = lib.types.attrsOf lib.types.port;
      default = { };
      description = "The number of a board's USB adapter, and the loopback's port of its line.";
    };
    cells = lib.mkOption {
      type = lib.types.listOf lib.types.str;
      default = [ ];
      description = "Cells, each with a file /etc/thinwire/cells/NAME/hostapd.conf.";
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
    ++ map (name: "thinwire-cell@${name}.service") cfg.cells
    ++ map (name: "thinwire-serial@${name}.service") serials;
    services.udev.extraRules = builtins.readFile (source + "/70-thinwire.rules");
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
