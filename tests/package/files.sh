#!/usr/bin/env bash
# Checks the .deb and the tar.gz of make package: what they hold and depend on, the manual page, and that an external project builds
# with the library of either. Call: files.sh BUILD COMPILER; exits with 77 if there are no packages.
set -euo pipefail
build=$(cd "$1" && pwd)
compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
deb=$(ls "$build"/package/sgmcmc_*.deb) && archive=$(ls "$build"/package/sgmcmc-*.tar.gz) || {
  echo "skipped: there are no packages in $build/package; make package builds them"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
complain() {
  echo "$1"
  exit 1
}

depends=$(dpkg-deb --field "$deb" Depends)
for library in libc6 libstdc++6 liblzma5 libzstd1 zlib1g; do
  [[ ", $depends" == *", $library "* ]] || complain "the package does not depend on $library: $depends"
done
[[ $(dpkg-deb --field "$deb" Recommends) == libnetcdf* ]] || complain "the package does not recommend libnetcdf"
[[ $(dpkg-deb --field "$deb" Architecture) == "$(dpkg --print-architecture)" ]] || complain "the package is of another architecture"

mkdir "$work/deb" "$work/archive"
dpkg-deb --extract "$deb" "$work/deb"
tar -xzf "$archive" -C "$work/archive" --strip-components 1
(cd "$work/deb/usr" && find . -type f | sort) >"$work/of_deb"
(cd "$work/archive" && find . -type f | sort) >"$work/of_archive"
diff "$work/of_deb" "$work/of_archive" || complain "the packages hold different files"
for file in ./bin/sgmcmc ./include/sgmcmc/sgmcmc.hpp ./share/doc/sgmcmc/copyright ./share/man/man1/sgmcmc.1.gz; do
  grep -qxF "$file" "$work/of_deb" || complain "the packages lack $file"
done
grep -q 'libsgmcmc\.a$' "$work/of_deb" && grep -q 'sgmcmcConfig\.cmake$' "$work/of_deb" || complain "the packages lack the library"
[[ -z $(find "$work/deb" -perm /022 -type f) ]] || complain "others may write files of the package"

gunzip -c "$work/deb/usr/share/man/man1/sgmcmc.1.gz" >"$work/sgmcmc.1"
warnings=$(groff -man -Tutf8 -ww -rLL=100n "$work/sgmcmc.1" 2>&1 >"$work/page")
[[ -z $warnings ]] || complain "the manual page: $warnings"
[[ $(wc -l <"$work/page") -gt 500 ]] || complain "the manual page is short"

for prefix in "$work/deb/usr" "$work/archive"; do
  "$prefix/bin/sgmcmc" --version
  cmake -G Ninja -S "$here/../install" -B "$prefix/build" -D CMAKE_PREFIX_PATH="$prefix" -D CMAKE_CXX_COMPILER="$compiler" >"$work/log" 2>&1 &&
    cmake --build "$prefix/build" --target consumer >>"$work/log" 2>&1 && "$prefix/build/consumer" || {
    cat "$work/log"
    complain "a project does not build with the library in $prefix"
  }
done
