# Eclipse Paho's MQTT-SN gateway over UDP, from its upstream repository (pinned in flake.lock).
{
  lib,
  stdenv,
  cmake,
  openssl,
  src,
}:

stdenv.mkDerivation {
  pname = "paho-mqtt-sn-gateway";
  version = "1.0.0-unstable-2024-01-18";
  inherit src;

  nativeBuildInputs = [ cmake ];
  buildInputs = [ openssl ];
  cmakeFlags = [ "-DSENSORNET=udp" ];

  installPhase = ''
    install -D -t "$out/bin" "$(find .. -name MQTT-SNGateway -type f -perm -u+x -print -quit)"
  '';

  meta = {
    description = "MQTT-SN gateway of Eclipse Paho, UDP transport";
    license = lib.licenses.epl10;
    mainProgram = "MQTT-SNGateway";
    platforms = [ "x86_64-linux" ];
  };
}
