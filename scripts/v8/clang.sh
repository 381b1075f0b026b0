#!/bin/bash
# A wrapper that GN uses as Chromium's clang: calls Debian's clang without unsupported flags, with precompiled headers for
# the largest targets of V8. `clang` and `clang++` are copies of this file in a folder of LLVM's tools.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
real=${LLVM_HOME:-/usr/lib/llvm-22}/bin/$(basename "$0")

arguments=()
output= source= compiles=
previous=
for word in "$@"; do
  case "$word" in
    -fdiagnostics-show-inlining-chain | -fno-lifetime-dse | -fsanitize-ignore-for-ubsan-feature=*) continue ;;
    # It breaks precompiled headers.
    -fmodule-name=*) continue ;;
    -c) compiles=yes ;;
    *.cc) source=$word ;;
  esac
  [ "$previous" = -o ] && output=$word
  previous=$word
  arguments+=("$word")
done

if [ -z "$compiles" ]; then
  # A link: see the step `compiler` of scripts/build_v8.mjs.
  case " $* " in *" -o "*) arguments+=("$here/death_callback.o") ;; esac
  exec "$real" "${arguments[@]}"
fi

common='src/api/api-inl.h src/execution/isolate-inl.h src/heap/heap-inl.h src/objects/objects-inl.h src/heap/factory-inl.h src/codegen/macro-assembler.h'
target=$(basename "$(dirname "$output")")
case "$target" in
  v8_base_without_compiler | torque_generated_definitions) headers=$common ;;
  v8_compiler)
    headers="$common src/compiler/js-heap-broker-inl.h src/compiler/js-graph.h src/compiler/turboshaft/assembler.h src/compiler/turboshaft/phase.h"
    ;;
  v8_initializers | torque_generated_initializers)
    headers="$common src/codegen/code-stub-assembler-inl.h src/builtins/builtins-utils-gen.h torque-generated/csa-types.h"
    ;;
  *) headers= ;;
esac
if [ -z "$headers" ] || [ -z "$source" ]; then exec "$real" "${arguments[@]}"; fi

# One precompiled header per target, created on first use with the flags of the including file.
mkdir -p ahead
(
  flock 9
  if [ ! -e "ahead/$target.pch" ]; then
    for header in $headers; do echo "#include \"$header\""; done >"ahead/$target.h"
    flags=()
    skip=
    for word in "${arguments[@]}"; do
      if [ -n "$skip" ]; then skip=; continue; fi
      case "$word" in
        -o | -MF | -MT) skip=yes ;;
        -c | -MD | -MMD | "$source") ;;
        *) flags+=("$word") ;;
      esac
    done
    "$real" "${flags[@]}" -x c++-header "ahead/$target.h" -o "ahead/$target.tmp" && mv "ahead/$target.tmp" "ahead/$target.pch"
  fi
) 9>"ahead/$target.lock" || exit 1
exec "$real" "${arguments[@]}" -include-pch "ahead/$target.pch"
