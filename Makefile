# SPDX-License-Identifier: MIT
# blkreel: build, install, test. 'make help' lists the targets.
# make has a variable of its own of this name; 'make check-vm SHELL=1' means one in a guest.
ifeq ($(SHELL),1)
override SHELL := /bin/sh
VM_SHELL := 1
endif

VERSION := $(shell sed -n 's/.*BLKREEL_VERSION "\(.*\)"/\1/p' userspace/base/version.h)
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= gcc
CLANG   ?= clang
# Ubuntu's bpftool starts that of the running kernel, which may not be installed.
BPFTOOL ?= $(shell PATH="$$PATH:/usr/sbin:/sbin"; for tool in bpftool $(wildcard /usr/lib/linux-tools-*/bpftool); do \
	$$tool version >/dev/null 2>&1 && echo $$tool && break; done)
STRIP   ?= llvm-strip

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n'
endif

ARCH := $(shell uname -m)
BPF_ARCH := $(if $(filter x86_64,$(ARCH)),x86,$(if $(filter aarch64,$(ARCH)),arm64,$(ARCH)))

PACKAGES := libbpf liburing libelf zlib libzstd liblzma libdeflate blkid jansson libsodium libevent_extra libevent_core ncursesw
# They go into the binary where their archives are there (LINK=dynamic: none of them; LINK=static: libc as
# well), each before those that it needs itself.
LIBRARIES := bpf elf z zstd lzma deflate uring blkid jansson sodium inih event_extra event_core ncursesw tinfo
archive = $(if $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a 2>/dev/null)),-l:lib$(1).a,-l$(1))
LINKED := $(if $(filter dynamic,$(LINK)),$(LIBRARIES:%=-l%),$(foreach l,$(LIBRARIES),$(call archive,$(l))))
# Empty for a compiler whose warnings nobody has seen yet, as a distribution may have.
WERROR ?= -Werror
WARNINGS := -Wall -Wextra $(WERROR) -Wno-unused-parameter -Wno-format-truncation -Wmissing-prototypes -Wstrict-prototypes -Wshadow
CPPFLAGS += -D_GNU_SOURCE -Iuserspace -I. -I$(BUILD)/gen $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
CFLAGS   ?= -O2 -g
CFLAGS   += -std=gnu11 $(WARNINGS) -pthread
LDFLAGS  += $(if $(filter static,$(LINK)),-static)
LDLIBS   += $(shell pkg-config --libs-only-L $(PACKAGES) 2>/dev/null) $(LINKED) -lm -ldl -pthread

ifeq ($(SANITIZE),1)
BUILD  := build/sanitize
CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDFLAGS += -fsanitize=address,undefined
endif
# The lists of headers that objects depend on name them: by one name, however the folder is given.
override BUILD := $(patsubst $(CURDIR)/%,%,$(BUILD))

# What each IO of a replay goes through lies in several files, which gcc makes one program of in the binary; the tests link
# the ordinary code that these objects hold, too. LTO=0: without. -Wno-error: what each gcc warns of then differs.
ifneq ($(SANITIZE),1)
LTO ?= $(if $(findstring -flto,$(CFLAGS)),0,$(if $(findstring Free Software,$(shell $(CC) --version 2>/dev/null)),1,0))
endif
ifeq ($(LTO),1)
LTO_COMPILE := -flto -ffat-lto-objects
PLAIN_LINK  := -fno-lto
WHOLE_LINK  := -flto=auto -Wno-error
endif

BIN := $(BUILD)/blkreel

# Everything but main.c and the commands is a library that the tests link as well.
SRC     := $(sort $(shell find userspace replay -name '*.c'))
CMD_SRC := $(filter userspace/main.c userspace/commands/%,$(SRC))
LIB_SRC := $(filter-out $(CMD_SRC),$(SRC))
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(BUILD)/obj/%.o)
LIB     := $(BUILD)/libblkreel.a

BPF_SRC := bpf/block.bpf.c bpf/bio.bpf.c bpf/pagecache.bpf.c bpf/cache_writes.bpf.c bpf/cache_functions.bpf.c bpf/cache_kprobes.bpf.c bpf/uring.bpf.c bpf/access.bpf.c bpf/waits.bpf.c bpf/scope.bpf.c
BPF_OBJ := $(BPF_SRC:bpf/%.bpf.c=$(BUILD)/bpf/%.bpf.o)
SKELETONS := $(BUILD)/gen/collector.skel.h $(BUILD)/gen/collector_copying.skel.h $(BUILD)/gen/probe.skel.h $(BUILD)/gen/tally.skel.h

UNIT_SRC := $(sort $(shell find tests/unit -name 'test_*.c'))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/unit/%)
HELPER_SRC := $(wildcard tests/helpers/*.c)
HELPER_BIN := $(HELPER_SRC:tests/helpers/%.c=$(BUILD)/helpers/%)
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/fuzz/%)
CORPUS_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/corpus/%)

.PHONY: all help deps demo check check-fast check-vm check-packages deb rpm tarball install-strip bench lint format fuzz install uninstall clean tests
.SECONDARY:
all: $(BIN) ## build blkreel (build/blkreel)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r t h; do printf '  %-12s %s\n' "$$t" "$$h"; done
	@echo
	@echo '  Variables: V=1 (show commands), SANITIZE=1 (ASan and UBSan, in build/sanitize),'
	@echo '             PREFIX=, DESTDIR= (install), CC=, CLANG=, BPFTOOL=, LINK=static|dynamic, LTO=0|1'

deps: ## install what building and testing need (root; apt or dnf)
	$(Q)tools/install-deps

# The library -------------------------------------------------------------------------------------
$(BIN): $(CMD_OBJ) $(LIB)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(WHOLE_LINK) -o $@ $(CMD_OBJ) $(LIB) $(LDLIBS)

$(LIB): $(LIB_OBJ)
	$(say) AR $@
	$(Q)rm -f $@ && ar rcs $@ $(LIB_OBJ)

$(BUILD)/obj/%.o: %.c Makefile
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(filter $(BUILD)/obj/userspace/collector/%,$(LIB_OBJ)): | $(SKELETONS)

$(filter $(BUILD)/obj/replay/% $(BUILD)/obj/userspace/base/histogram.o,$(LIB_OBJ)): CFLAGS += $(LTO_COMPILE)

# Loops over columns of numbers, which a vectorizing compiler makes a fifth faster.
ifneq ($(SANITIZE),1)
$(filter $(BUILD)/obj/userspace/trace/%,$(LIB_OBJ)): CFLAGS += -O3
# What every row of a profile goes through.
$(filter $(BUILD)/obj/userspace/workload/% $(BUILD)/obj/userspace/profile/%,$(LIB_OBJ)): CFLAGS += -O3
endif

# The page of report: its code is bundled with npm. Without npm, blkreel says so, and its pages have no charts.
REPORT := $(BUILD)/report
REPORT_SRC := $(wildcard report/*.json report/*.css report/src/*.js report/src/*/*.js) report/bundle
$(REPORT)/page.js: $(REPORT_SRC) $(if $(shell command -v npm),$(shell ! grep -qs "was not there" $(REPORT)/missing || echo report-again))
	$(say) BUNDLE $@
	$(Q)report/bundle $(REPORT)

.PHONY: report-again
report-again:

$(BUILD)/obj/userspace/render/report/assets.o: $(REPORT)/page.js
$(BUILD)/obj/userspace/render/report/assets.o: CPPFLAGS += -DREPORT_FOLDER='"$(REPORT)"'

# Their data comes by .incbin, which link-time optimization does not see.
$(BUILD)/obj/userspace/render/report/assets.o $(BUILD)/obj/userspace/profile/text/builtin.o: CFLAGS += -fno-lto

# The built-in profiles are part of it.
$(BUILD)/obj/userspace/profile/text/builtin.o: $(wildcard profiles/*.profile)

# The kernel side: no kernel's BTF is needed to build it ---------------------------------------------
BPF_FLAGS := -target bpf -D__TARGET_ARCH_$(BPF_ARCH) -O2 -g -mcpu=v3 -Wall -Wextra $(WERROR) -Wno-unused-parameter -Wno-missing-declarations -Ibpf $(shell pkg-config --cflags libbpf 2>/dev/null)

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c Makefile
	$(say) CLANG $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@ $<

$(BUILD)/bpf/collector.bpf.o: $(BPF_OBJ)
	$(say) BPFLINK $@
	$(Q)$(BPFTOOL) gen object $@ $^

# The same for kernels without bpf_rdonly_cast: see userspace/collector/probes/probes.c.
$(BUILD)/bpf/waits_copying.bpf.o: bpf/waits.bpf.c Makefile
	$(say) CLANG $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) -DWORDS_ARE_COPIED -MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@ $<

$(BUILD)/bpf/collector_copying.bpf.o: $(BPF_OBJ:%/waits.bpf.o=%/waits_copying.bpf.o)
	$(say) BPFLINK $@
	$(Q)$(BPFTOOL) gen object $@ $^

$(BUILD)/gen/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(say) SKELETON $@
	$(Q)mkdir -p $(@D)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@.tmp && mv $@.tmp $@

# Tests ----------------------------------------------------------------------------------------------
$(BUILD)/unit/%: tests/unit/%.c $(shell find tests/unit -name '*.h') $(LIB)
	$(say) TEST $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) $(PLAIN_LINK) -o $@ $< $(LIB) $(LDLIBS)

$(BUILD)/helpers/%: tests/helpers/%.c $(LIB)
	$(say) HELPER $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(PLAIN_LINK) -o $@ $< $(LIB) $(LDLIBS)

# The fuzz targets again, with a plain main() that runs files: a corpus is an ordinary test.
$(BUILD)/corpus/%: tests/fuzz/%.c tests/fuzz/run_corpus.c $(LIB)
	$(say) CORPUS $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(PLAIN_LINK) -o $@ $< tests/fuzz/run_corpus.c $(LIB) $(LDLIBS)

FUZZ_FLAGS := -O1 -g -std=gnu11 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
$(BUILD)/fuzz/%: tests/fuzz/%.c $(filter-out userspace/collector/% userspace/render/% userspace/top/%,$(LIB_SRC))
	$(say) FUZZ $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(CPPFLAGS) $(FUZZ_FLAGS) -o $@ $^ $(LDLIBS)

tests: $(BIN) $(UNIT_BIN) $(HELPER_BIN) $(CORPUS_BIN) ## build everything that the tests run

check: ## install what the tests need and run every test (root for the device tests)
	$(Q)tools/install-deps --quiet --tests
	$(Q)tools/install-analytics --quiet --spark || echo "The tests that need these packages will be skipped."
	$(Q)tests/run

check-fast: tests ## the unit and command-line tests alone, no root, no sanitizers
	$(Q)tests/run --fast

demo: ## record SQLite, explain, profile, replay and compare, on loop devices (root)
	$(Q)tools/install-deps --quiet
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tools/demo

check-vm: ## run blkreel on other kernels, in virtual machines (KERNEL=, TEST=, SHELL=1; apt)
	$(Q)tools/install-deps --quiet --vm
	$(Q)$(MAKE) --no-print-directory tests
	$(Q)tests/vm/fetch $(KERNEL)
	$(Q)$(if $(VM_SHELL),tests/vm/shell $(or $(KERNEL),6.12),tests/vm/all $(if $(KERNEL),-k "$(KERNEL)") $(TEST))

check-packages: ## build, install, use and remove the Debian packages in clean chroots (SUITE=; root; apt)
	$(Q)tests/packages/run $(SUITE)

bench: ## measure against the peers (root)
	$(Q)tools/install-deps --quiet --tests --bench
	$(Q)$(MAKE) --no-print-directory tests
	$(Q)tests/bench/run

fuzz: ## five minutes of libFuzzer over all parsers (FUZZ_SECONDS=)
	$(Q)tools/install-deps --quiet --tests
	$(Q)$(MAKE) --no-print-directory $(FUZZ_BIN)
	$(Q)tests/fuzz/run $(FUZZ_BIN)

lint: ## formatting, shell scripts, direction of includes
	$(Q)tools/lint

format: ## rewrite the sources as clang-format wants them
	$(Q)git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i

MAN5 := $(wildcard docs/man/*.5)
MAN8 := $(wildcard docs/man/*.8)
UNITS := $(notdir $(wildcard packaging/systemd/*))

# What the packaging folder says of /usr/local is true of PREFIX; systemd and logrotate look in fixed
# places, of which /usr/local/lib/systemd is one.
install: $(BIN) ## install the binary, manual pages, completions and the systemd unit under PREFIX
	install -D -m 755 $(BIN) $(DESTDIR)$(PREFIX)/sbin/blkreel
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man8 $(MAN8)
	$(if $(MAN5),install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man5 $(MAN5))
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system packaging/systemd/*
	sed -i 's|/usr/local/|$(PREFIX)/|' $(UNITS:%=$(DESTDIR)$(PREFIX)/lib/systemd/system/%)
	install -D -m 644 packaging/grafana/blkreel.json $(DESTDIR)$(PREFIX)/share/blkreel/grafana/blkreel.json
	install -D -m 644 packaging/prometheus/blkreel.rules.yml $(DESTDIR)$(PREFIX)/share/blkreel/prometheus/blkreel.rules.yml
	install -D -m 644 packaging/completion/blkreel.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/blkreel
	install -D -m 644 packaging/completion/_blkreel $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_blkreel
	install -D -m 644 packaging/completion/blkreel.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/blkreel.fish
	install -D -m 644 packaging/logrotate/blkreel-record $(DESTDIR)$(PREFIX)/share/blkreel/logrotate/blkreel-record

install-strip: install ## the same, without debug symbols
	strip $(DESTDIR)$(PREFIX)/sbin/blkreel

deb: ## build Debian packages in build/deb (apt)
	$(Q)tools/install-deps --quiet --deb
	$(Q)tools/make-deb

rpm: ## build an RPM package in build/rpm (apt or dnf)
	$(Q)tools/install-deps --quiet --rpm
	$(Q)tools/make-rpm

tarball: ## build a tarball with a static binary in build/tarball, to be unpacked in /usr/local
	$(Q)tools/install-deps --quiet
	$(Q)tools/make-tarball

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/sbin/blkreel
	rm -f $(MAN8:docs/man/%=$(DESTDIR)$(PREFIX)/share/man/man8/%) $(MAN5:docs/man/%=$(DESTDIR)$(PREFIX)/share/man/man5/%)
	rm -f $(UNITS:%=$(DESTDIR)$(PREFIX)/lib/systemd/system/%)
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/blkreel
	rm -f $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_blkreel
	rm -f $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/blkreel.fish
	rm -rf $(DESTDIR)$(PREFIX)/share/blkreel

clean: ## remove everything that was built
	rm -rf build

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(BPF_OBJ:.o=.d) $(BUILD)/bpf/waits_copying.bpf.d $(BUILD)/bpf/probe.bpf.d $(BUILD)/bpf/tally.bpf.d
