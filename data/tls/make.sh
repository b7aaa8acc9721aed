#!/usr/bin/env bash
# Make the test keys and certificates of this folder anew. They are kept in the repository, so that
# every capture has the same handshake; after this, captures over TLS differ from those before.
# They protect nothing: every private key here is public.
#
# make.sh [FOLDER]   (default: where this file is)
#
#   KIND/root.pem              what a device trusts; KIND is ec (P-256) or rsa (2048 bits)
#   KIND/server.pem .key       leaf and intermediate, for server.thinwire.test and the lab's addresses
#   KIND/direct.pem            the same server's, by the root itself: libcoap on OpenSSL sends no chain
#   KIND/client.pem .key       the device's own
#   ec/NAME.pem .key           what a device must refuse: expired, future, wrong_name, self_signed,
#                              untrusted (of another root), wrong_key (right but for a pinned key),
#                              server_as_client (for the use as a client only)
#   psk.txt                    identity:key, the key in hexadecimal digits
set -euo pipefail
export LC_ALL=C
cd "${1:-$(dirname "$0")}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

valid_from=20000101000000Z valid_to=20991231235959Z
name=server.thinwire.test

new_key() { # KIND TARGET
    case $1 in
    ec) openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$2" 2>/dev/null ;;
    rsa) openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$2" 2>/dev/null ;;
    esac
}

# certify TARGET.pem KEY COMMON_NAME EXTENSIONS ISSUER.pem ISSUER.key [FROM TO]; an issuer "self" signs itself.
certify() {
    local target=$1 key=$2 common=$3 extensions=$4 issuer=$5 issuer_key=$6
    local from=${7:-$valid_from} to=${8:-$valid_to} by=()
    local folder=$work/ca
    rm -rf "$folder"
    mkdir "$folder"
    : >"$folder/index"
    cat >"$folder/config" <<END
[ca]
default_ca = here
[here]
database = $folder/index
new_certs_dir = $folder
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
organizationName = optional
commonName = supplied
[req]
distinguished_name = names
[names]
[x]
$extensions
END
    openssl req -new -config "$folder/config" -key "$key" -subj "/O=Thinwire test/CN=$common" \
        -out "$folder/request" 2>/dev/null
    if [ "$issuer" = self ]; then
        by=(-selfsign -keyfile "$key")
    else
        by=(-cert "$issuer" -keyfile "$issuer_key")
    fi
    openssl ca -batch -notext -config "$folder/config" -extensions x -in "$folder/request" \
        -startdate "$from" -enddate "$to" "${by[@]}" -out "$target" 2>/dev/null
}

ca_use=$'basicConstraints = critical, CA:true\nkeyUsage = critical, keyCertSign, cRLSign'
server_use=$'basicConstraints = CA:false\nkeyUsage = critical, digitalSignature, keyEncipherment\nextendedKeyUsage = serverAuth'
client_use=$'basicConstraints = CA:false\nkeyUsage = critical, digitalSignature\nextendedKeyUsage = clientAuth'
alternatives="subjectAltName = DNS:$name, DNS:localhost, IP:127.0.0.1, IP:10.77.0.1"

authority() { # KIND FOLDER PREFIX: a root and an intermediate, and the intermediate's key
    new_key "$1" "$work/$3root.key"
    certify "$2/$3root.pem" "$work/$3root.key" "${3}root $1" "$ca_use" self self
    new_key "$1" "$work/$3issuing.key"
    certify "$work/$3issuing.pem" "$work/$3issuing.key" "${3}issuing $1" "$ca_use" "$2/$3root.pem" "$work/$3root.key"
}

leaf() { # KIND NAME COMMON_NAME EXTENSIONS [AUTHORITY_PREFIX FROM TO]: with the intermediate behind it
    new_key "$1" "$1/$2.key"
    certify "$1/$2.pem" "$1/$2.key" "$3" "$4" "$work/${5:-}issuing.pem" "$work/${5:-}issuing.key" "${@:6}"
    cat "$work/${5:-}issuing.pem" >>"$1/$2.pem"
}

for kind in rsa ec; do
    rm -rf "$kind"
    mkdir "$kind"
    authority "$kind" "$kind" ""
    leaf "$kind" server "$name" "$server_use"$'\n'"$alternatives"
    certify "$kind/direct.pem" "$kind/server.key" "$name" "$server_use"$'\n'"$alternatives" "$kind/root.pem" "$work/root.key"
    leaf "$kind" client b1 "$client_use"
done

# What a device must refuse; the authority is the last one, ec.
leaf ec expired "$name" "$server_use"$'\n'"$alternatives" "" 20000101000000Z 20001231235959Z
leaf ec future "$name" "$server_use"$'\n'"$alternatives" "" 20980101000000Z 20991231235959Z
leaf ec wrong_name other.thinwire.test "$server_use"$'\nsubjectAltName = DNS:other.thinwire.test'
leaf ec wrong_key "$name" "$server_use"$'\n'"$alternatives"
leaf ec server_as_client "$name" "$client_use"$'\n'"$alternatives"
authority ec "$work" other_
leaf ec untrusted "$name" "$server_use"$'\n'"$alternatives" other_
new_key ec ec/self_signed.key
certify ec/self_signed.pem ec/self_signed.key "$name" "$server_use"$'\n'"$alternatives" self self

# The key's bytes are letters and digits: libcoap's servers take no others.
printf 'b1:%s\n' "$(openssl rand -hex 16 | tr -d '\n' | od -An -v -tx1 | tr -d ' \n')" >psk.txt
chmod 644 ./*/*.key # as a checkout has them
