# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Part fio-jobs of tests/bench/run: job files run by fio and by 'blkreel bench' in turn, on a device that is limited to
# 1,000 reads and 1,000 writes of 64 MiB in sum a second, so that the device and not this machine decides the rate.

FIO_JOBS=${BENCH_FIO_JOBS:-docs/examples/jobs}

bench_fio_jobs() {
	local jobs
	make_slow_group 1000 $((64 << 20))
	if [ -z "$SLOW" ]; then
		say "no control group can limit a device here: the job files are skipped"
		return
	fi
	mapfile -t jobs < <(find "$(realpath "$FIO_JOBS")" -maxdepth 1 -name '*.fio' | sort)
	[ ${#jobs[@]} -gt 0 ] || die "BENCH_FIO_JOBS: no job file in $FIO_JOBS"
	mkdir "$WORK/fio-jobs"
	say "fio-jobs: ${#jobs[@]} job files, $PAIRS pairs of at most $RUN_SECONDS s each"
	slowly python3 "$HERE/fio_jobs.py" "$BLKREEL" "$DISK" "$WORK/fio-jobs" "$RUN_SECONDS" "$PAIRS" "${jobs[@]}"
}
