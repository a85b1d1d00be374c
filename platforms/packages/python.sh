# shellcheck shell=sh disable=SC2154,SC2164  # make.sh reads this, behind common.sh

python_package() {
  fresh python
  (
    cd "$bindings/python"
    export PYTHONDONTWRITEBYTECODE=1 RONDO_LIBRARY="$native/librondo.so"
    RONDO_WHEEL_PLATFORM=$(platform) python3 -c \
      'import build_backend, sys; print(build_backend.build_wheel(sys.argv[1]))' "$work"
    python3 -c 'import build_backend, sys; print(build_backend.build_sdist(sys.argv[1]))' "$work"
  )
}
