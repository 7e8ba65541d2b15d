# SPDX-License-Identifier: MIT
# Shared by the scripts of this folder: paths and kernels.

# shellcheck disable=SC2034  # for scripts that source this
VM_CACHE=${BLKREEL_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/blkreel}
VM_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
VM_ROOT=$(cd "$VM_DIR/../.." && pwd)
VM_BUILD=${BUILD:-$VM_ROOT/build}
VM_KERNELS="5.10 6.1 6.12 7.2"

die() {
	echo "${0##*/}: $*" >&2
	exit 2
}

# The Debian suite whose kernel has this version.
kernel_suite() {
	case $1 in
	5.10) echo bullseye ;;
	6.1) echo bookworm ;;
	6.12) echo trixie ;;
	6.4 | 6.5 | 6.6 | 6.7 | 6.9 | 6.10 | 6.11) echo bookworm-backports ;;
	*) echo trixie-backports ;;
	esac
}

# tool NAME: the path of a fetched command, otherwise of the machine's.
tool() {
	local folder
	for folder in usr/bin usr/sbin bin sbin; do
		if [ -x "$VM_CACHE/tools/$folder/$1" ]; then
			echo "$VM_CACHE/tools/$folder/$1"
			return
		fi
	done
	PATH=$PATH:/usr/sbin:/sbin command -v "$1"
}

# The fetched libraries, for LD_LIBRARY_PATH.
tool_libraries() {
	echo "$VM_CACHE/tools/usr/lib/$(uname -m)-linux-gnu:$VM_CACHE/tools/lib/$(uname -m)-linux-gnu"
}
