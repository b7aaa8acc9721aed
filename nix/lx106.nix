# The ESP8266's toolchain as Debian 12 builds it: binutils, GCC and picolibc for the LX106 core,
# which nixpkgs lacks. The .deb files and their SHA-256 stand in setup/sources.txt.
{
  lib,
  stdenv,
  fetchurl,
  dpkg,
  autoPatchelfHook,
  gmp,
  libmpc,
  mpfr,
  zlib,
  zstd,
}:

let
  sources = import ./sources.nix { inherit lib fetchurl; };
in
stdenv.mkDerivation {
  pname = "lx106-toolchain";
  version = "12.2.0";

  srcs = map (name: sources.${name}) [
    "binutils-xtensa-lx106"
    "gcc-xtensa-lx106"
    "libisl23"
    "picolibc-xtensa-lx106-elf"
  ];

  nativeBuildInputs = [
    autoPatchelfHook
    dpkg
  ];
  buildInputs = [
    gmp
    libmpc
    mpfr
    stdenv.cc.cc.lib
    zlib
    zstd
  ];

  unpackPhase = ''
    for package in $srcs; do
      dpkg-deb --extract "$package" .
    done
  '';

  # Target libraries are Xtensa code: leave them as they are.
  dontStrip = true;
  installPhase = ''
    mkdir -p "$out"
    cp -r usr/bin usr/lib "$out/"
    substituteInPlace "$out/lib/xtensa-lx106-elf/picolibc.specs" --replace-fail /usr/lib "$out/lib"
  '';

  # The firmware's build finds picolibc by this variable.
  setupHook = builtins.toFile "lx106-setup-hook.sh" ''
    export LX106_PICOLIBC="@out@/lib/xtensa-lx106-elf"
  '';

  meta = {
    description = "GCC, binutils and picolibc for the ESP8266's LX106 core";
    license = lib.licenses.gpl3Plus;
    platforms = [ "x86_64-linux" ];
  };
}
