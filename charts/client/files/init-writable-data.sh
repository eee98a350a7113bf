# Brings mounted directories to the owner and mode that their writers need, and says what became of each.
# Arguments: OWNER:GROUP, then PATH:MODE for each directory. Ends with 0 whatever happens: a directory that refuses
# must keep neither the next one nor the pod from starting.
owner=$1
shift

for entry do
  path=${entry%:*} mode=${entry##*:}
  if [ -L "$path" ] || [ ! -d "$path" ]; then
    echo "init-writable-data: FAIL $path is not a directory"
    continue
  fi

  # Neither gates the other (client#672): a mount may refuse chown and take chmod. Five digits, since GNU's chmod
  # leaves a setuid bit on a directory when given four.
  complaints=
  chown "$owner" "$path" || complaints="$complaints, chown failed"
  chmod "0$mode" "$path" || complaints="$complaints, chmod failed"

  # What is read back decides, since a mount may accept both calls and ignore them. Other users must be able to write,
  # with setgid; the sticky bit, which lets nobody remove what another uid wrote, is there exactly when wanted (client#667).
  seen=$(ls -ldn "$path")
  case $mode in [2367]???) setgid=s ;; *) setgid=x ;; esac
  case $mode in [1357]???) sticky=t ;; *) sticky=x ;; esac
  case $seen in
    d?????"$setgid"rw"$sticky"*) echo "init-writable-data: OK $seen$complaints" ;;
    *) echo "init-writable-data: FAIL ${seen:-$path}, wanted $mode $owner$complaints" ;;
  esac
done
exit 0
