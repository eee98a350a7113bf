{{/* (list root "CLIENT_ID"): what the release's Secret holds in the cluster, or nothing. `helm template` sees none. */}}
{{- define "client.storedSecret" -}}
{{- $root := index . 0 -}}
{{- $stored := lookup "v1" "Secret" $root.Release.Namespace (include "client.secretName" $root) | default dict -}}
{{- get ($stored.data | default dict) (index . 1) | b64dec -}}
{{- end -}}

{{/*
(list root "clientPassword" "CLIENT_PASSWORD"): one half of the client's identity. The backend never tells a password again,
so an upgrade without one keeps the one that is stored. It is never made up: nothing could log in with it.
*/}}
{{- define "client.credential" -}}
{{- $root := index . 0 -}}
{{- $key := index . 1 -}}
{{- $value := get $root.Values $key | default "" | toString -}}
{{- $value = $value | default (include "client.storedSecret" (list $root (index . 2))) -}}
{{- if not (trim $value) -}}
{{- fail (printf "%s is required, and Secret %s in namespace %s holds none: put it into a values file of mode 0600 and add --values FILE" $key (include "client.secretName" $root) $root.Release.Namespace) -}}
{{- end -}}
{{- if regexMatch "^\\s*<.*>\\s*$" $value -}}
{{- fail (printf "%s is still the placeholder of an example; set the real one" $key) -}}
{{- end -}}
{{- $value -}}
{{- end -}}

{{/*
"true" where the services log in to the database by accounts of their own: an explicit serviceDbAccounts, else what holds
for the channel (backend#1752).
*/}}
{{- define "client.serviceDbAccounts" -}}
{{- if kindIs "bool" .Values.serviceDbAccounts -}}
{{- if .Values.serviceDbAccounts }}true{{ end -}}
{{- else -}}
{{- $channel := include "client.clientEnv" . -}}
{{- $byChannel := merge (dict) (.Values.serviceDbAccountsByEnv | default dict) (dict "dev" true "stg" true "prod" false) -}}
{{- if get $byChannel $channel }}true{{ end -}}
{{- end -}}
{{- end -}}

{{/*
(list root "META" "meta"): the password of a database account: from values, else the one that is stored, else a new
one. Letters and digits alone: it becomes part of a statement.
*/}}
{{- define "client.databasePassword" -}}
{{- $root := index . 0 -}}
{{- $key := printf "TB_%s_PASSWORD" (index . 1) -}}
{{- $asked := get ($root.Values.databasePasswords | default dict) (index . 2) | default "" | toString -}}
{{- if and $asked (not (regexMatch "^[A-Za-z0-9]+$" $asked)) -}}
{{- fail (printf "databasePasswords.%s may hold letters and digits alone" (index . 2)) -}}
{{- end -}}
{{- $asked | default (include "client.storedSecret" (list $root $key)) | default (randAlphaNum 32) -}}
{{- end -}}

{{- define "client.podTokenSigningSecret" -}}
{{- .Values.podTokenSigningSecret | default (include "client.storedSecret" (list . "POD_TOKEN_SIGNING_SECRET")) | default (randAlphaNum 48) -}}
{{- end -}}
