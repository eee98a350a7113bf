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

{{- define "client.podTokenSigningSecret" -}}
{{- .Values.podTokenSigningSecret | default (include "client.storedSecret" (list . "POD_TOKEN_SIGNING_SECRET")) | default (randAlphaNum 48) -}}
{{- end -}}
