# Refuses to start MySQL over a data directory of another major version: it would die on it without saying why, or after
# having changed it (backend#723). Argument: the data directory. TB_EXPECTED_ENGINE: 5.7, 8.0, 8.4 or unknown.
directory=$1

case $TB_EXPECTED_ENGINE in
  5.7 | 8.4) ;;
  *)
    echo "mysql-format-guard: not checked: nothing is known about engine $TB_EXPECTED_ENGINE"
    exit 0
    ;;
esac

if ! entries=$(ls -A "$directory"); then
  echo "mysql-format-guard: not checked: $directory cannot be read"
  exit 0
fi
# An ext4 volume is born with lost+found.
case $entries in
  '' | lost+found)
    echo "mysql-format-guard: OK $directory is empty"
    exit 0
    ;;
esac

# The data dictionary moved into this file with 8.0.
if [ -e "$directory/mysql.ibd" ]; then written=8; else written=5.7; fi
case $TB_EXPECTED_ENGINE:$written in
  5.7:5.7 | 8.4:8) echo "mysql-format-guard: OK $directory belongs to MySQL $written" ;;
  *)
    echo "mysql-format-guard: FAIL $directory was written by MySQL $written, and the image is MySQL $TB_EXPECTED_ENGINE"
    echo "mysql-format-guard: nothing was changed; set images.mysqlClient.tag and .digest to an image of MySQL $written"
    exit 1
    ;;
esac
