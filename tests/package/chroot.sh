#!/usr/bin/env bash
# Installs the .deb of make package into a bare Debian 12 and runs the example of README.md there.
# Call: chroot.sh BUILD; exits with 77 if a bare Debian cannot be installed: without root, debootstrap or a mirror.
set -euo pipefail
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
deb=$(ls "$build"/package/sgmcmc_*.deb)

skip() {
  echo "skipped: $1"
  exit 77
}
[[ $(id -u) -eq 0 ]] || skip "only root can make a bare Debian"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"

bare=$(mktemp -d)
mounted=()
clean() {
  for place in "${mounted[@]}"; do umount "$place"; done
  rm -rf --one-file-system "$bare"
}
trap clean EXIT
mirror=$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' 2>/dev/null | head -n 1)
debootstrap --variant=minbase bookworm "$bare" ${mirror:+"$mirror"} >"$bare.log" 2>&1 || {
  tail -n 5 "$bare.log"
  skip "debootstrap could not make a bare Debian"
}
rm "$bare.log"
mount --bind /proc "$bare/proc" && mounted+=("$bare/proc")
[[ -e $bare/dev/null ]] || { mount --bind /dev "$bare/dev" && mounted+=("$bare/dev"); }
cp /etc/resolv.conf "$bare/etc/resolv.conf"

cp "$deb" "$bare/root/"
mkdir "$bare/root/models"
cp "$root"/models/logistic_regression.{stan,json} "$bare/root/models/"
inside() { chroot "$bare" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive bash -ec "cd /root; $1"; }
inside "apt-get update -qq; apt-get install -y -qq ./$(basename "$deb")" >"$bare/log" 2>&1 || {
  tail -n 20 "$bare/log"
  echo "apt could not install $deb into a bare Debian 12"
  exit 1
}

# The commands of README.md, with the installed program.
example=$(grep -m 1 '^build/sgmcmc sample ' "$root/README.md")
inside "${example#build/}" | tee "$bare/output"
grep -q '^verdict: trust' "$bare/output"
for name in 'alpha' 'beta\[1\]' 'beta\[2\]' 'beta\[3\]'; do
  expected=$(grep -m 1 "^$name " "$root/README.md" | awk '{ print $2 }')
  found=$(grep -m 1 "^$name " "$bare/output" | awk '{ print $2 }')
  awk -v a="$expected" -v b="$found" 'BEGIN { exit !(a != "" && b != "" && (a - b) ^ 2 < 0.03 ^ 2) }' || {
    echo "mean of $name: $found in the bare Debian, $expected in README.md"
    exit 1
  }
done
# Files for ArviZ as well: with the package that this one recommends.
inside "${example#build/} --quiet --out run && ls run/draws.nc && sgmcmc diagnose run >/dev/null"
inside "dpkg --verify sgmcmc && gzip -t /usr/share/man/man1/sgmcmc.1.gz && test -s /usr/share/doc/sgmcmc/copyright"
inside "apt-get remove -y -qq sgmcmc >/dev/null && ! command -v sgmcmc"
echo "installed, run and removed in a bare Debian 12: $(basename "$deb")"
