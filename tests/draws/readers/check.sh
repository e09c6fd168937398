#!/usr/bin/env bash
# Writes example draws and lets one reader check them: check.sh WRITER posterior|python|arviz [PYTHON]. Exits with 77 when it
# is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
writer=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$writer" "$folder"
case $2 in
  posterior)
    if ! command -v Rscript >/dev/null; then
      echo "SKIPPED: Rscript is not installed (Debian: r-cran-posterior; scripts/setup.sh readers)"
      exit 77
    fi
    Rscript --vanilla "$here/read_csv.R" "$folder"
    ;;
  python)
    # Debian's packages belong to its own Python, which need not be the first on the path.
    for python in "${PYTHON:-python3}" /usr/bin/python3; do
      if "$python" -c "import netCDF4, xarray" 2>/dev/null; then break; fi
    done
    "$python" "$here/read_netcdf.py" "$folder"
    ;;
  arviz)
    if ! "$3" -c "import arviz, netCDF4" 2>/dev/null; then
      echo "SKIPPED: ArviZ is not installed for $3 (scripts/readers.sh)"
      exit 77
    fi
    "$3" "$here/read_netcdf.py" "$folder" | tee "$folder/said"
    grep -q 'arviz [0-9]' "$folder/said"
    ;;
  *)
    echo "check.sh: no reader '$2'" >&2
    exit 2
    ;;
esac
