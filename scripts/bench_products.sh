#!/usr/bin/env bash
# Times the matrix products of a network step with this project's kernel, Eigen, OpenBLAS, BLIS and oneDNN, as far as installed, on one
# thread.
# To compare all: apt install libopenblas-serial-dev libblis-serial-dev libdnnl-dev
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMP_NUM_THREADS=1
flags=(-std=c++20 -O3 -DNDEBUG -march=native -fno-math-errno -isystem /usr/include/eigen3 bench/peers/products.cpp)
measure() {
  echo "== $1"
  shift
  g++ "${flags[@]}" "$@" -o "$folder/products" && "$folder/products"
}
measure sgmcmc -D WITH_SGMCMC -I src -I include src/plan/matrix_product.cpp
measure Eigen
for library in openblas-serial/libopenblas blis-serial/libblis; do
  for file in /usr/lib/*/"$library".so; do
    if [ -e "$file" ]; then measure "$file" -D WITH_CBLAS "$file" "-Wl,-rpath,$(dirname "$file")"; fi
  done
done
for file in /usr/lib/*/libdnnl.so; do
  if [ -e "$file" ]; then measure "$file" -D WITH_DNNL "$file"; fi
done
