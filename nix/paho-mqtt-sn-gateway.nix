# Eclipse Paho's MQTT-SN gateway over UDP, from its upstream repository (pinned in flake.lock): the program
# and the library of its packets, which finds its way by the program's run path.
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
  cmakeFlags = [
    "-DSENSORNET=udp"
    "-DCMAKE_POLICY_VERSION_MINIMUM=3.5" # its own 3.1 is less than CMake 4 takes
    "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON"
    "-DCMAKE_INSTALL_RPATH=${placeholder "out"}/lib"
  ];
  buildFlags = [ "MQTT-SNGateway" ];

  # Its build system installs nothing. The program lies beside its source, the library in the build.
  installPhase = ''
    install -D -t "$out/bin" "$(find .. -name MQTT-SNGateway -type f -perm -u+x -print -quit)"
    install -D -t "$out/lib" "$(find .. -name libMQTTSNPacket.so -type f -print -quit)"
  '';

  meta = {
    description = "MQTT-SN gateway of Eclipse Paho, UDP transport";
    license = lib.licenses.epl10;
    mainProgram = "MQTT-SNGateway";
    platforms = [ "x86_64-linux" ];
  };
}
