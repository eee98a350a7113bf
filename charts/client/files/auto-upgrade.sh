# Upgrades the release to the newest chart of its repository. Reads RELEASE, NAMESPACE, REPO_NAME, REPO_URL, CHART, TIMEOUT.
say() { echo "auto-upgrade: $*"; }
give_up() {
  say "FAIL $*"
  exit 1
}
in_namespace() { helm "$@" --namespace "$NAMESPACE"; }

helm repo add "$REPO_NAME" "$REPO_URL" --force-update >/dev/null || give_up "repository $REPO_URL cannot be added"
helm repo update "$REPO_NAME" >/dev/null || give_up "repository $REPO_URL does not answer"

listed=$(in_namespace list --deployed --failed --pending --uninstalling --filter "^$RELEASE\$" --output yaml) ||
  give_up "the release cannot be read"
field() { printf '%s\n' "$listed" | sed -n "s/^[- ] $1: //p" | tr -d "\"'"; }
status=$(field status)
case $status in
  deployed | failed) ;;
  '') give_up "there is no release $RELEASE in namespace $NAMESPACE" ;;
  pending-upgrade | pending-rollback)
    # It may be at work just now, by another's hand: only one that is long past every timeout was cut off (client#2877).
    updated=$(field updated)
    case $updated in *' +0000 '*) ;; *) updated= ;; esac
    since=
    # GNU's date takes nothing for midnight.
    [ -z "$updated" ] || since=$(date -u -d "$(printf '%.19s' "$updated")" +%s 2>/dev/null) || since=
    if [ -z "$since" ] || [ $(($(date -u +%s) - since)) -lt 2700 ]; then
      say "$RELEASE is $status since ${updated:-some time}: left to who does that"
      exit 0
    fi
    # Not the revision before, which may have failed as well.
    good=$(in_namespace history "$RELEASE" --output yaml |
      awk '/^[- ] revision: /{ n = $NF } /^[- ] status: (deployed|superseded)$/{ good = n } END { print good }')
    [ -n "$good" ] || give_up "$RELEASE is $status, and no revision of it ever worked"
    say "$RELEASE is $status since $updated: going back to revision $good"
    in_namespace rollback "$RELEASE" "$good" --timeout "$TIMEOUT" || give_up "it could not go back to revision $good"
    ;;
  *)
    say "$RELEASE is $status: nothing to do here"
    exit 0
    ;;
esac

# Whole names: the search finds those that only contain this one too.
newest=$(helm search repo "$REPO_NAME/$CHART" --output yaml | tr -d "\"'" |
  awk -v name="$REPO_NAME/$CHART" '/^[- ] name: /{ n = $NF } /^[- ] version: /{ if (n == name) { print $NF; exit } }')
[ -n "$newest" ] || give_up "$REPO_URL holds no chart $CHART"
current=$(field chart)
current=${current#"$CHART-"}
ahead=$(printf '%s\n%s\n' "$current" "$newest" | sort -V | tail -n 1)
if [ "$ahead" = "$current" ]; then
  say "OK $RELEASE has chart $CHART $current; the newest is $newest"
  exit 0
fi

say "$RELEASE: chart $CHART $current becomes $newest"
in_namespace upgrade "$RELEASE" "$REPO_NAME/$CHART" --version "$newest" --reset-then-reuse-values --atomic \
  --cleanup-on-fail --timeout "$TIMEOUT" || give_up "the upgrade to $newest; the release is as it was"
say "OK $RELEASE has chart $CHART $newest"
