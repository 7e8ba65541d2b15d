#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Containers by runc in pods, in the places and with the files that containerd and the kubelet make: each IO is counted
# for its container and pod, by serve and in a recording.
# vm: --virtio 128M --virtio 128M --with runc --with mkfs.ext4
. "$GUEST/lib.bash"
. "$GUEST/serve.bash"

BUNDLES=/run/containerd/io.containerd.runtime.v2.task/k8s.io

# The pods: name, uid, container, its id, its cgroup (cgroupfs driver or systemd driver), reads, writes.
containers() {
	local a=11111111-1111-4111-8111-111111111111 b=22222222-2222-4222-8222-222222222222 c=33333333-3333-4333-8333-333333333333
	local id1 id2 id3 id4 name
	for name in 1 2 3 4; do
		printf -v id$name '%064d' "${name}0357"
	done
	echo "web $a nginx $id1 /kubepods/burstable/pod$a/$id1 499 211"
	echo "web $a sidecar $id2 /kubepods/burstable/pod$a/$id2 103 0"
	echo "db $b postgres $id3 /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${b//-/_}.slice/cri-containerd-$id3.scope 307 401"
	echo "job $c main $id4 /kubepods/besteffort/pod$c/$id4 211 97"
}

# bundle POD UID CONTAINER ID CGROUP READS WRITES: the container waits for the file go, then issues its IOs and a file of
# 4 MiB, makes the file done and stays.
bundle() {
	local folder=$BUNDLES/$4
	mkdir -p "$folder/rootfs"
	cat >"$folder/config.json" <<-JSON
		{ "ociVersion": "1.0.2", "root": {"path": "rootfs"}, "hostname": "$1",
		  "process": {
		    "user": {"uid": 0, "gid": 0}, "cwd": "/", "env": ["PATH=/bin:/usr/bin"], "noNewPrivileges": true,
		    "args": ["/bin/busybox", "sh", "-c",
		      "until [ -e /share/go ]; do /bin/busybox sleep 0.1; done; set -e; /blkreel/build/helpers/issue_io read /dev/vdb $6 4096 >/dev/null; [ $7 = 0 ] || /blkreel/build/helpers/issue_io write /dev/vdb $7 8192 1000 >/dev/null; /bin/busybox dd if=/dev/zero of=/data/$1-$3 bs=1M count=4 conv=fsync 2>/dev/null; /bin/busybox touch /share/done-$4; exec /bin/busybox sleep 100000"]},
		  "annotations": {
		    "io.kubernetes.cri.container-type": "container", "io.kubernetes.cri.container-name": "$3",
		    "io.kubernetes.cri.sandbox-name": "$1", "io.kubernetes.cri.sandbox-namespace": "shop"},
		  "mounts": [
		    {"destination": "/proc", "type": "proc", "source": "proc"},
		    {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
		    $(for path in /bin /lib /lib64 /usr /blkreel; do
				[ ! -e $path ] || echo "{\"destination\": \"$path\", \"type\": \"bind\", \"source\": \"$path\", \"options\": [\"rbind\", \"ro\"]},"
			done)
		    {"destination": "/data", "type": "bind", "source": "/mnt", "options": ["rbind"]},
		    {"destination": "/share", "type": "bind", "source": "/tmp/share", "options": ["rbind"]}],
		  "linux": {
		    "cgroupsPath": "$5",
		    "namespaces": [{"type": "pid"}, {"type": "mount"}, {"type": "ipc"}, {"type": "uts"}, {"type": "cgroup"}],
		    "devices": [{"path": "/dev/vdb", "type": "b", "major": $((0x$(stat -c %t /dev/vdb))), "minor": $((0x$(stat -c %T /dev/vdb)))}],
		    "resources": {
		      "devices": [{"allow": false, "access": "rwm"},
		        {"allow": true, "type": "b", "major": $((0x$(stat -c %t /dev/vdb))), "minor": $((0x$(stat -c %T /dev/vdb))), "access": "rw"}],
		      "blockIO": {"weight": 100}, "memory": {"limit": 134217728}}}}
	JSON
	mkdir -p "/var/log/pods/shop_$1_$2/$3"
}

# The root of a guest is the kernel's first file system, from which nothing can pivot away.
start_container() {
	runc run --no-pivot --detach --bundle "$BUNDLES/$4" "$4" </dev/null >"/tmp/$4.log" 2>&1
}

wait_for_containers() {
	for _ in {1..1800}; do
		[ "$(find /tmp/share -name 'done-*' | wc -l)" != 4 ] || return 0
		sleep 0.1
	done
	tail -n 3 /tmp/*.log
	return 1
}

# is_named POD UID CONTAINER ID CGROUP: with all its names.
is_named() {
	grep -q "^blkreel_cgroup_info{cgroup=\"$5\",kind=\"container\",.*namespace=\"shop\",pod=\"$1\",pod_uid=\"$2\",container=\"$3\",container_id=\"$4\"" metrics
}

# counted POD UID CONTAINER ID CGROUP READS WRITES: its IOs on vdb as issued, its bytes on vda as the kernel's.
counted() {
	local group=${5#/}
	equal "$(of_group ios "$group" vdb read) $(of_group ios "$group" vdb write)" "$6 $7" &&
		equal "$(of_group io_bytes "$group" vda write)" "$(io_stat "$group" vda wbytes)" &&
		between $((4 << 20)) "$(of_group io_bytes "$group" vda write)" $((5 << 20))
}

# recorded POD UID CONTAINER ID CGROUP READS WRITES: the rows of vdb.
recorded() {
	equal "$("$BLKREEL" dump t.reel --format csv -d vdb | awk -F, -v group="$5" '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["cgroup"] == group && $c["bytes"] { n[$c["op"]]++ }
		END { print n["read"] + 0, n["write"] + 0 }')" "$6 $7"
}

# explained POD UID CONTAINER ID CGROUP READS WRITES: by explain, which has the names from the recording.
explained() {
	equal "$("$BLKREEL" explain t.reel --json | awk -v name="\"shop/$1/$3\"," '
		/"by_/ { inside = /"by_container"/; found = 0 }
		inside && /"name"/ { found = ($2 == name) }
		found && /"(read|write)_ios"/ { gsub(/[^0-9]/, "", $2); print $2 }' | paste -sd' ')" "$6 $7"
}

end_containers() {
	local container words
	for container in "${all[@]}"; do
		read -ra words <<<"$container"
		runc kill "${words[3]}" KILL
	done
	kill "$serve"
}

mkfs.ext4 -q /dev/vda && mount /dev/vda /mnt || exit
mkdir -p /tmp/share
mapfile -t all < <(containers)
for container in "${all[@]}"; do
	read -ra words <<<"$container"
	bundle "${words[@]}"
	check "runc starts ${words[0]} ${words[2]}" start_container "${words[@]}"
done
sync
start_serve -d vda -d vdb
counted_before=$(($(counter vdb 1) + $(counter vdb 5)))
trap end_containers EXIT
"$BLKREEL" record -d vdb -o t.reel 2>record.err &
recorder=$!
for _ in {1..600}; do
	! grep -q recording record.err || break
	sleep 0.1
done
touch /tmp/share/go
check "the containers issue their IOs" wait_for_containers
kill -INT $recorder
wait $recorder
scrape
for container in "${all[@]}"; do
	read -ra words <<<"$container"
	name="${words[0]} ${words[2]}"
	check "$name: serve has its names" is_named "${words[@]}"
	check "$name: serve has its IOs" counted "${words[@]}"
	check "$name: the recording has its IOs" recorded "${words[@]}"
	check "$name: explain has its IOs and names" explained "${words[@]}"
done
of_all=$(metric blkreel_device_ios_total 'device="vdb",op="(read|write)"')
of_pods=$(metric blkreel_cgroup_ios_total 'cgroup="/kubepods[^"]*",device="vdb",op="(read|write)"')
echo "# $of_pods of $of_all IOs are on a container"
check "IOs of the device on a container, in a thousand" between 999 $((of_pods * 1000 / of_all)) 1000
check "all IOs of the device are counted" equal "$of_all" $(($(counter vdb 1) + $(counter vdb 5) - counted_before))
grep '^blkreel_lost_events_total' metrics | sed 's/^/# /'
finish
