#!/usr/bin/env bash
# Makes this machine a menu board. As root, on Debian 13 or Raspberry Pi OS of the same version, 64 bits:
#
#   install.sh --service https://menu.example.com    a board of this service
#   install.sh --service-here                        a board, and the service on the same machine
#   install.sh --service-later                       a board that asks for its service on its screen
#   install.sh --uninstall [--purge]                 removes both; with --purge also menus, pairing and settings
#
#   --packages FOLDER|URL   where the packages are: a folder with .deb files, or an apt repository. Without it, the
#                           folder of this script, or the repository of the last run.
#   --instead-of-desktop    start the board with the machine although it has a desktop, which then does not start until
#                           --uninstall
#   --allow-plain-http      allow http:// to other machines, on a network that you trust
#
# It can be run again, to change the service or to bring the packages up to date, and asks no questions. Where it cannot
# install, it says why, and leaves the machine as it was. After a power cut, run it again.
set -euo pipefail
# Numbers and words of apt-get as this script reads them.
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a

log=/var/log/menu-player-install.log
settings=/etc/menu-player/config.toml
boot_settings=/etc/menu-player/config.d/boot.toml
key_file=/etc/menu-player/service.key
source_file=/etc/apt/sources.list.d/menu-player.sources
keyring=/etc/apt/keyrings/menu-player.gpg
desktop_file=/etc/menu-player/desktop
authorities=/etc/ssl/certs/ca-certificates.crt
here=http://127.0.0.1:8080
grub_settings=/etc/default/grub.d/menu-player.cfg
quiet='quiet splash loglevel=3 systemd.show_status=false rd.udev.log_level=3 vt.global_cursor_default=0 consoleblank=0'
# What the programs and Debian's Qt take, with room for their download.
needed_mb=1600
seconds_to_board=90
other_key="the packages' signature is not right: the repository has another key. Ask whoever runs it."
# The same in apt's words.
unsigned="not signed|NO_PUBKEY|Signed-By|OpenPGP signature verification failed"

files=("$settings" "$boot_settings" "$source_file" "$keyring" "$keyring.new")
before='' apt='' interrupted=''

service='' packages='' with_service='' later='' uninstall='' purge='' instead='' plain=''

fail() { printf '\ninstall.sh: %s\n' "$*" >&2; exit 1; }
wrong() { printf 'install.sh: %s\n%s\n' "$*" 'install.sh --help says what can be given.' >&2; exit 2; }
step() { printf '%s\n' "$*"; }

read_arguments() {
  local services=''
  while [ $# -gt 0 ]; do
    case $1 in
      --service | --packages)
        [ -n "${2:-}" ] || wrong "$1 needs an address"
        if [ "$1" = --service ]; then service=$2 services+=x; else packages=$2; fi
        shift
        ;;
      --service-here) with_service=yes service=$here services+=x ;;
      --service-later) later=yes services+=x ;;
      --uninstall) uninstall=yes ;;
      --purge) purge=yes ;;
      --instead-of-desktop) instead=yes ;;
      --allow-plain-http) plain=yes ;;
      --help) sed -n '2,/^set/s/^#\( \|$\)//p' "$0"; exit ;;
      *) wrong "$1 is unknown" ;;
    esac
    shift
  done
  [ ${#services} -le 1 ] || wrong "give one of --service, --service-here and --service-later"
  [ -z "$purge" ] || [ -n "$uninstall" ] || wrong "--purge goes with --uninstall"
  [ -n "$uninstall" ] || check_service
}

check_service() {
  if [ -z "$service" ]; then
    [ -z "$later" ] || return 0
    grep -q '^service *=' "$settings" "$boot_settings" 2>/dev/null || wrong "give the address of the service: --service https://…, or --service-here"
    return
  fi
  [[ $service =~ ^https?://[][A-Za-z0-9._~:/-]+$ ]] || wrong "$service is not an address like https://menu.example.com"
  [[ $service =~ ^https: || $service =~ ^http://(localhost|127\.[0-9.]+|\[::1\])(:|/|$) || -n $plain ]] ||
    wrong "$service is not encrypted. Use https, or add --allow-plain-http if you trust the network."
}

check_machine() {
  local system
  # shellcheck source=/dev/null
  system=$(. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-an unknown system} ${VERSION_CODENAME:-}")
  [[ $system == *' trixie' ]] ||
    fail "this machine runs ${system% *}. Debian 13 or Raspberry Pi OS based on it (trixie) is needed."
  [ "$(id -u)" -eq 0 ] || fail "this needs root. Run it with sudo."
  case $(dpkg --print-architecture) in
    amd64 | arm64) ;;
    *) fail "this system has $(getconf LONG_BIT) bits ($(dpkg --print-architecture)). Install the one with 64 bits." ;;
  esac
}

check_disk() {
  local place free
  if is_installed menu-player || [ -n "$interrupted" ]; then needed_mb=300; fi
  for place in /usr /var; do
    free=$(df --output=avail -BM $place | tail -1 | tr -dc 0-9)
    [ "$free" -ge "$needed_mb" ] || fail "the disk has $free MB free for $place, and $needed_mb MB are needed."
  done
}

# A certificate that this machine does not accept, the board would not accept either. Who has named an authority or a
# proxy for the board knows of it, and in an image the boot file may still name one. No answer at all is no reason to stop.
check_certificate() {
  local why
  [[ $service == https:* ]] && [ -s $authorities ] && [ -d /run/systemd/system ] && command -v python3 >/dev/null || return 0
  ! grep -Eqs '^(ca_file|proxy) *=' "$settings" "$boot_settings" || return 0
  why=$(python3 - "$service" <<'END'
import ssl, sys, urllib.error, urllib.request

try:
    urllib.request.urlopen(sys.argv[1], timeout=10).close()
except urllib.error.URLError as error:
    if isinstance(error.reason, ssl.SSLCertVerificationError):
        print(error.reason.verify_message)
except (OSError, ValueError):
    pass
END
  )
  [ -z "$why" ] || fail "the certificate of $service is not accepted: $why. If it is from an authority of your own, write
  ca_file = \"/etc/ssl/your-authority.pem\"
into $settings, and run this again. If it seems to begin or end at another time, check the clock of this machine: $(date)."
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

packages_but() { dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -nE "/^($1) /!s/.* //p" | sort -u; }
packages_here() { packages_but 'not-installed|config-files'; }
# Those that dpkg has not finished.
half_way() { packages_but 'not-installed|config-files|installed'; }

# Notes how the machine is, so that `undo` can bring that back.
begin() {
  local file
  before=$(mktemp -d)
  packages_here >"$before/packages"
  for file in "${files[@]}"; do
    if [ -e "$file" ]; then cp -a --parents "$file" "$before"; fi
  done
  # State and settings of a board that was here, or is prepared: a purge would take them along.
  for file in /etc/menu-player /var/lib/menu-player /var/lib/menu-service; do
    if [ -e $file ]; then touch "$before/kept"; fi
  done
  trap undo EXIT
}

# From here on a failure takes nothing back.
commit() {
  trap - EXIT
  rm -rf "$before"
  before=''
}

# Takes away what was installed on a machine that had no board, and brings settings and repository back.
undo() {
  local file new left='' verb=--purge
  trap - EXIT
  trap '' INT TERM HUP
  # As much as can be.
  set +e
  if [ -n "$interrupted" ] || grep -qx menu-player "$before/packages"; then
    configure_pending
  else
    step "Taking back what was installed" >&2
    # What was downloaded may be what has filled the disk.
    find /var/cache/apt/archives -name '*.deb' -newer "$before/packages" -delete
    if [ -e "$before/kept" ]; then verb=--remove; fi
    new=$(comm -13 "$before/packages" <(packages_here))
    remove_by_dpkg $verb "$(grep '^menu-' <<<"$new")"
    remove_by_dpkg --purge "$(grep -v '^menu-' <<<"$new")"
    left=$(comm -13 "$before/packages" <(packages_here))
  fi
  for file in "${files[@]}"; do
    if [ -e "$before$file" ]; then cp -a "$before$file" "$file"; else rm -f "$file"; fi
  done
  rmdir --ignore-fail-on-non-empty /etc/menu-player/config.d /etc/menu-player 2>/dev/null
  if [ -n "$left" ]; then
    step "These packages could not be removed again: $(tr '\n' ' ' <<<"$left")" >&2
  elif [ -n "$interrupted$(half_way)" ]; then
    step "What was begun before is left, $(half_way | wc -l) packages of it half-way. Run this again to finish." >&2
  elif grep -qx menu-player "$before/packages"; then
    step "The settings of the board are as they were." >&2
  else
    step "Nothing is installed: the machine is as it was." >&2
  fi
  rm -rf "$before"
}

remove_by_dpkg() {
  # shellcheck disable=SC2086
  [ -z "$2" ] || dpkg $1 --force-remove-reinstreq $2 >>"$log" 2>&1
}

# Has dpkg finish what it has begun. What it was unpacking, it must unpack again: apt-get does not see to that.
configure_pending() {
  local name file
  for name in $(dpkg-query -W -f '${db:Status-Eflag} ${Package}\n' | sed -n 's/^reinstreq //p'); do
    file=$(find ${packages:+"$packages"} /var/cache/apt/archives -maxdepth 1 -name "${name}_*.deb" | sort -V | tail -1) || true
    [ -z "$file" ] || dpkg --force-confold --unpack "$file" </dev/null >>"$log" 2>&1 || true
  done
  dpkg --force-confold --configure -a </dev/null >>"$log" 2>&1 || true
}

# apt-get, with its words in the log and its progress on a terminal. In a session of its own, or Ctrl-C would end dpkg in
# the middle of a package.
run_apt() {
  local failed=''
  printf '\n%s apt-get %s\n' "$(date -Is)" "$*" >>"$log"
  trap stop INT TERM HUP
  env --default-signal=INT setsid apt-get -q -y -o APT::Status-Fd=3 -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 \
    -o APT::Update::Error-Mode=any -o Dpkg::Options::=--force-confold "$@" </dev/null 3> >(show_progress) >>"$log" 2>&1 &
  apt=$!
  wait "$apt" || failed=yes
  apt=''
  trap - INT TERM HUP
  [ ! -t 2 ] || printf '\r                     \r' >&2
  [ -z "$failed" ]
}

# On a terminal the percentage; elsewhere, as in a log, a line for each part.
show_progress() {
  local kind percent what last=''
  trap '' INT
  while IFS=: read -r kind _ percent _; do
    case $kind in
      dlstatus) what=downloading ;;
      pmstatus) what=installing ;;
      *) continue ;;
    esac
    if [ -t 2 ]; then
      printf '\r  %-11s %3.0f %%' "$what" "$percent" >&2
    elif [ "$what" != "$last" ]; then
      printf '  %s\n' "$what" >&2
    fi
    last=$what
  done
}

# A signal ends a download at once. What dpkg unpacks, it finishes first.
stop() {
  trap '' INT TERM HUP
  step "Stopping.${before:+ The machine is brought back to how it was. This can take some minutes.}" >&2
  if [ -n "$apt" ]; then
    kill -INT "$apt" 2>/dev/null || true
    wait "$apt" || true
  fi
  exit 130
}

# What apt-get has said in its last run.
last_words() { awk '/ apt-get / { said = "" } { said = said $0 "\n" } END { printf "%s", said }' "$log"; }

# Whether our own repository is signed by another key than it had, or by none.
is_unsigned() {
  local address
  address=$(sed -n 's/^URIs: //p' "$source_file" 2>/dev/null)
  [ -n "$address" ] && grep -E "$unsigned" <<<"$1" | grep -qF "$address"
}

# Says why apt-get has failed, as far as its words tell, and ends.
explain() {
  local what=$1 said=${2:-}
  said+=$(last_words)
  case $said in
    *'No space left on device'* | *'enough free space'*) fail "the disk is full. Make room on it and run this again." ;;
    *'not signed'* | *NO_PUBKEY* | *'Signed-By'* | *'OpenPGP signature verification failed'*) fail "$other_key" ;;
    *'Temporary failure resolving'* | *'Could not '[cr]* | *'Network is unreachable'* | *'onnection timed out'* | \
      *'onnection failed'*)
      fail "$what: $(grep -Eom1 "(Temporary failure|Could not [cr]|Network is|[Cc]onnection (failed|timed)).*" <<<"$said")." \
        "Check the network and its DNS, and run this again." ;;
    *ertificate*)
      fail "the repository's certificate is not right. Check its address, and the clock of this machine: $(date)." ;;
    *) fail "$what. The last words of apt-get, from $log:
$(tail -n 6 <<<"$said")" ;;
  esac
}

find_packages() {
  local beside
  beside=$(cd "$(dirname "${BASH_SOURCE[0]:-.}")" && pwd)
  if [ -z "$packages" ]; then
    if compgen -G "$beside/menu-player_*.deb" >/dev/null; then
      packages=$beside
    elif [ ! -e "$source_file" ]; then
      wrong "say where the packages are: --packages FOLDER or URL"
    fi
  fi
  case $packages in
    '') ;;
    https://* | http://127.0.0.1* | http://localhost*) use_repository "${packages%/}" ;;
    http://*) wrong "$packages is not encrypted. Use https." ;;
    *) [ -d "$packages" ] || wrong "there is no folder $packages"
      packages=$(cd "$packages" && pwd) ;;
  esac
}

# From its own key on, apt checks every package of the repository.
use_repository() {
  local fetched=$keyring.new
  if [[ $1 == https:* ]] && ! is_installed ca-certificates; then
    run_apt update || explain "the package lists cannot be fetched"
    run_apt install ca-certificates || explain "ca-certificates cannot be installed"
  fi
  mkdir -p "${keyring%/*}"
  printf '\n%s apt-get key of %s\n' "$(date -Is)" "$1" >>"$log"
  /usr/lib/apt/apt-helper download-file "$1/menu-player.gpg" "$fetched" >>"$log" 2>&1 ||
    { rm -f "$fetched"; explain "$1 is no repository of the menu player"; }
  mv "$fetched" "$keyring"
  chmod 0644 "$keyring"
  printf 'Types: deb\nURIs: %s\nSuites: ./\nSigned-By: %s\n' "$1" "$keyring" >"$source_file"
  packages=''
}

# What apt-get installs of these packages: their names, or the newest file of each in a folder.
wanted() {
  local name file
  for name in "$@"; do
    file=$name
    if [ -n "$packages" ]; then
      file=$(find "$packages" -maxdepth 1 -name "${name}_*.deb" | sort -V | tail -1)
      [ -n "$file" ] || fail "$packages has no file ${name}_….deb"
    fi
    printf '%s\n' "$file"
  done
}

install_packages() {
  local guard list unreached='' names=(menu-player menu-player-core)
  if [ -n "$with_service" ] || half_way | grep -qx menu-service; then names+=(menu-service); fi
  guard=$(wanted menu-player-guard)
  list=$(wanted "${names[@]}")
  if [ -n "$interrupted" ]; then
    step "Finishing an installation that was interrupted"
    # Waits for the guard, which may be finishing it, too.
    run_apt check || true
    configure_pending
  fi
  step "Fetching the package lists"
  if ! run_apt update; then
    unreached=$(last_words)
    if is_unsigned "$unreached"; then fail "$other_key"; fi
    step "  They cannot be fetched now."
    if is_installed menu-player && [ -z "$packages$(half_way)" ] && run_apt check; then return; fi
  fi
  if [ -n "$interrupted" ]; then
    # shellcheck disable=SC2086
    run_apt install --fix-broken --no-install-recommends $guard $list ||
      explain "the interrupted installation cannot be finished" "$unreached"
  fi
  step "Installing the board (the first time some minutes, and a download of 300 MB)"
  # The guard first: it keeps a copy of what is installed after it, to go back to.
  # shellcheck disable=SC2086
  run_apt install --no-install-recommends $guard || explain "the packages cannot be installed" "$unreached"
  # shellcheck disable=SC2086
  run_apt install --no-install-recommends $list || explain "the packages cannot be installed" "$unreached"
  # Goes when the board goes.
  apt-mark auto menu-player-core menu-player-guard >>"$log"
  # Switches the screen over its HDMI cable.
  if compgen -G '/dev/cec*' >/dev/null; then add v4l-utils || true; fi
  local each missing=()
  for each in $(dpkg-query -W -f '${Recommends}' menu-player-core | tr -d ,); do
    is_installed "$each" || missing+=("$each")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  step "Installing the fonts for Chinese, Japanese and Korean, and what hyphenates words"
  add "${missing[@]}" || step "  They cannot be fetched now. Run this again later, if the menu needs them."
}

# Installs packages that go when the board goes.
add() { run_apt install --no-install-recommends "$@" && apt-mark auto "$@" >>"$log"; }

# A mark on the screen from power-on, and no text. Not on a disk that asks for a password, which the mark would hide, and
# only on a running machine whose boot loader is GRUB: a Raspberry Pi's cmdline.txt is left alone (docs/install.md).
set_up_splash() {
  [ ! -e "$grub_settings" ] && [ -d /run/systemd/system ] && [ -d /boot/grub ] && command -v update-grub >/dev/null || return 0
  ! grep -qs '^[^#]' /etc/crypttab || return 0
  step "Setting up the picture at power-on"
  if add plymouth; then
    mkdir -p "${grub_settings%/*}"
    printf '%s\n' '# Written by install.sh of the menu board.' 'GRUB_TIMEOUT_STYLE=hidden' 'GRUB_TIMEOUT=1' \
      "GRUB_CMDLINE_LINUX_DEFAULT=\"$quiet\"" >"$grub_settings"
    if { plymouth-set-default-theme -R menu-player && update-grub; } >>"$log" 2>&1; then return; fi
    rm -f "$grub_settings"
  fi
  step "  It cannot be set up; the board starts without it."
}

remove_splash() {
  [ -e "$grub_settings" ] || return 0
  rm -f "$grub_settings"
  { plymouth-set-default-theme --reset; update-initramfs -u; update-grub; } >>"$log" 2>&1 || true
}

# Sets one setting and leaves the others as they are.
set_setting() {
  if grep -q "^$1 *=" "$settings"; then
    sed -i "s|^$1 *=.*|$1 = $2|" "$settings"
  else
    sed -i "1i $1 = $2" "$settings"
  fi
}

configure() {
  [ -n "$service" ] || return 0
  mkdir -p "${settings%/*}"
  [ -s "$settings" ] || printf '# Settings of the board; menu-player run --help lists them.\n' >"$settings"
  set_setting service "\"${service%/}\""
  # What was said last holds.
  [ ! -e "$boot_settings" ] || sed -i '/^service *=/d' "$boot_settings"
  [ -z "$plain" ] || set_setting allow_plain_http true
}

# Passwords may stand in the settings.
protect() {
  [ -e "$settings" ] || return 0
  chown root:menu-player "$settings" && chmod 0640 "$settings"
}

start_service() {
  systemctl enable --quiet --now menu-service
  [ ! -s "$key_file" ] || return 0
  step "Making a key for the service"
  local waited
  for waited in $(seq 60); do
    if python3 -c "import urllib.request as r; r.urlopen('$here/readyz', timeout=5)" 2>/dev/null; then break; fi
    [ "$waited" -lt 60 ] || fail "the service does not answer at $here. Its log:  journalctl -u menu-service -n 50"
    sleep 1
  done
  (umask 077 && runuser -u menu-service -- menu-service keys create --data /var/lib/menu-service --role Owner \
    --name install.sh >"$key_file") ||
    { rm -f "$key_file"; fail "the service made no key. Its log:  journalctl -u menu-service -n 50"; }
}

# The board takes its place, until --uninstall.
put_desktop_off() {
  local link=/etc/systemd/system/display-manager.service name
  [ -L $link ] || return 0
  name=$(basename "$(readlink -f $link)")
  printf '%s\n' "$name" >"$desktop_file"
  step "Ending the desktop ($name)"
  # By its own name, too: it may be wanted by that.
  systemctl disable --quiet --now display-manager "$name" 2>>"$log" || true
}

start_board() {
  if [ -n "$instead" ]; then
    put_desktop_off
  elif [ -L /etc/systemd/system/display-manager.service ]; then
    step "The board is installed and not started: this machine has a desktop. To have the board in its place, run this" \
      "again with --instead-of-desktop."
    exit
  fi
  systemctl enable --quiet menu-player
  systemctl restart --no-block menu-player
}

# Says in one line what is on the screen, as the player tells it.
say_what_shows() {
  python3 - "$seconds_to_board" "$settings" <<'END'
import json, sys, time, tomllib, urllib.request

seconds, settings = int(sys.argv[1]), sys.argv[2]
ends = time.monotonic() + seconds
try:
    with open(settings, "rb") as file:
        port = tomllib.load(file).get("diagnostics_port", 8085)
except (OSError, tomllib.TOMLDecodeError):
    port = 8085
shown = {}
while time.monotonic() < ends:
    time.sleep(1)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/state.json", timeout=5) as answer:
            shown = json.load(answer)
    except (OSError, ValueError):
        continue
    kind = shown.get("presented", {}).get("kind")
    pairing = shown["pairing"]
    if pairing["phase"] == "paired" and kind not in (None, "starting"):
        scene = shown["showing"].get("sceneName")
        name = pairing.get("screenName")
        print(f"The screen shows {scene or 'its first picture'}" + (f", as {name}." if name else "."))
        sys.exit()
    if pairing["code"]:
        print(f"The screen shows the code {pairing['code']}. Enter it at {pairing['address']}")
        sys.exit()
    # Not paired yet is no fault of the way to the service: the code comes in a moment.
    told = (each for each in shown.get("findings", ()) if each["code"] != "not_paired")
    faults = [each for each in told if each["severity"] == "fault"]
    if kind is not None and faults:
        print(f"The screen shows that it waits for the service. {faults[0]['what']} {faults[0]['do']}")
        sys.exit()
print("The screen shows no board yet. `menu-player doctor` says why.")
sys.exit(1)
END
}

# What no package needs any more.
superfluous() { apt-get -s autoremove | sed -n 's/^Remv \([^ ]*\).*/\1/p' | sort; }

remove() {
  local verb=remove name desktop superfluous_before after names=()
  if [ -n "$purge" ]; then verb=purge; fi
  if [ -n "$interrupted" ]; then
    configure_pending
    remove_by_dpkg --$verb "$(half_way | grep '^menu-')" || true
  fi
  for name in menu-player menu-player-core menu-player-guard menu-service; do
    if dpkg-query -W "$name" >/dev/null 2>&1; then names+=("$name"); fi
  done
  desktop=$(cat "$desktop_file" 2>/dev/null || true)
  remove_splash
  if [ ${#names[@]} -gt 0 ]; then
    step "Removing the board"
    superfluous_before=$(superfluous)
    run_apt $verb "${names[@]}" || explain "the packages cannot be removed"
    # What was superfluous before is none of this script's business.
    after=$(comm -13 <(cat <<<"$superfluous_before") <(superfluous))
    # shellcheck disable=SC2086
    [ -z "$after" ] || run_apt $verb $after || explain "what the board needed cannot be removed"
  fi
  rm -f "$source_file" "$keyring" "$keyring.new"
  rm -f "$desktop_file"
  if [ -n "$desktop" ]; then
    step "Starting the desktop again ($desktop)"
    systemctl enable --quiet --now "$desktop" 2>>"$log" || step "  It does not start:  systemctl status $desktop"
  fi
  if [ -n "$purge" ]; then
    # The settings go with their package, but for those of one that was never unpacked.
    rm -f "$log" "$settings"
    [ ! -d /etc/menu-player ] || rmdir --ignore-fail-on-non-empty /etc/menu-player
    step "The board is gone from this machine."
  else
    step "The board is gone. Its menus, pairing and settings are kept; --uninstall --purge deletes them."
  fi
}

main() {
  read_arguments "$@"
  check_machine
  [ -z "$(dpkg --audit; compgen -G '/var/lib/dpkg/updates/[0-9]*')" ] || interrupted=yes
  if [ -n "$uninstall" ]; then
    remove
    return
  fi
  check_disk
  check_certificate
  begin
  find_packages
  configure
  install_packages
  protect
  commit
  set_up_splash
  if [ ! -d /run/systemd/system ]; then
    step "The board is installed. It starts with the machine."
    return
  fi
  if [ -n "$with_service" ]; then
    start_service
    step "The service runs at $here. The key of its owner is in $key_file."
    step "To open its pages on another machine:  ssh -L 8080:127.0.0.1:8080 ${SUDO_USER:-root}@$(hostname -I | cut -d' ' -f1)"
  fi
  step "Starting the board"
  start_board
  say_what_shows
}

main "$@"
