#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Capabilities that recording needs and retains, locked memory before 5.11, and maps that need CAP_BPF to be
# read before 5.19.
# vm: --virtio 64M --with setpriv
. "$GUEST/lib.bash"

CAP_BPF_ALONE=0000008000000000
NOTHING=0000000000000000

# as_user CAPABILITIES COMMAND...: runs it as an ordinary user with these capabilities.
as_user() {
	exec setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps="-all$1" --ambient-caps="-all$1" \
		--bounding-set="-all$1" "${@:2}"
}

# recorded COMMAND...: records 499 reads; sets $effective to its effective capabilities.
recorded() {
	local recorder
	rm -f /tmp/open/t.reel
	("$@" record -d vda --cache -o /tmp/open/t.reel 2>/tmp/stderr) &
	recorder=$!
	for ((i = 0; i < 300; i++)); do
		grep -q "recording into" /tmp/stderr && break
		kill -0 "$recorder" 2>/dev/null || break
		sleep 0.1
	done
	recorder=$(pidof blkreel)
	effective=$(sed -n 's/^CapEff:[[:space:]]*//p' "/proc/$recorder/status")
	"$HELPERS/issue_io" read /dev/vda 499 4096 >/dev/null
	sleep 1.2
	kill -TERM "$recorder"
	wait
	cat /tmp/stderr
	equal "$(column /tmp/open/t.reel comm | grep -c issue_io)" 499
}

# The guest's files have the modes of a folder of mktemp(1).
chmod 755 / /blkreel /blkreel/build
mkdir -m 1777 /tmp/open
[ -e /proc/sys/kernel/unprivileged_bpf_disabled ] || exit 1
case $(uname -r) in
5.10.*) needs_bpf=$CAP_BPF_ALONE ;;
*) needs_bpf=$NOTHING ;;
esac
for disabled in 2 0; do
	echo $disabled >/proc/sys/kernel/unprivileged_bpf_disabled
	[ $disabled = 2 ] || needs_bpf=$NOTHING
	check "root records, unprivileged_bpf_disabled=$disabled" recorded "$BLKREEL"
	check "  and retains what this kernel needs" equal "$effective" "$needs_bpf"
	export SUDO_UID=1000 SUDO_GID=1000
	check "through sudo" recorded "$BLKREEL"
	check "  and retains what this kernel needs" equal "$effective" "$needs_bpf"
	check "  and the trace is the caller's" equal "$(stat -c '%u %a' /tmp/open/t.reel)" "1000 600"
	unset SUDO_UID SUDO_GID
	ulimit -l unlimited
	check "a user with CAP_BPF and CAP_PERFMON" recorded as_user ,+bpf,+perfmon "$BLKREEL"
	check "  and retains what this kernel needs" equal "$effective" "$needs_bpf"
done
ulimit -l 64
(as_user ,+bpf,+perfmon "$BLKREEL" record -d vda -t 1 -o /tmp/open/t.reel) >/tmp/stderr 2>&1
status=$?
cat /tmp/stderr
case $(uname -r) in
5.10.*)
	check "the message names the limit of locked memory" grep -q "which is 64.0 KiB: .*LimitMEMLOCK" /tmp/stderr
	check "  with the exit status of missing rights" equal $status 6
	check "CAP_SYS_RESOURCE helps" recorded as_user ,+bpf,+perfmon,+sys_resource "$BLKREEL"
	;;
*) check "locked memory does not matter" equal $status 0 ;;
esac
finish
