{{/* The IngestConfig as it was given. Whether it is a good one is for the jobs manager to say; here, that it is one at all. */}}
{{- define "ingestor.ingestConfig" -}}
{{- $text := .Values.ingestConfig | default "" | toString -}}
{{- if not (trim $text) -}}
{{- fail "ingestConfig is required: the text of an IngestConfig, given with --set-file ingestConfig=FILE" -}}
{{- end -}}
{{- if regexMatch "^[^\\s:]+$" (trim $text) -}}
{{- fail (printf "ingestConfig is %q: the text of the file is wanted, not its path; give it with --set-file ingestConfig=FILE" (trim $text)) -}}
{{- end -}}
{{- $config := fromYaml $text -}}
{{- with $config.Error -}}
{{- fail (printf "ingestConfig cannot be read: %s" .) -}}
{{- end -}}
{{- if ne (toString $config.kind) "IngestConfig" -}}
{{- fail "ingestConfig is something else: it has no `kind: IngestConfig`" -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/*
The key that the jobs manager knows this run by. An upgrade keeps the one it was installed with, or the same dataset would
be read twice (client#139); the ConfigMap goes with the release, so that an installation after it is a run of its own. The
chart before this one kept its key in the body alone.
*/}}
{{- define "ingestor.idempotencyKey" -}}
{{- $key := .Values.idempotencyKey | default "" | toString -}}
{{- if and .Release.IsUpgrade (not $key) -}}
{{- range list (include "ingestor.configName" .) (printf "%s-config" .Release.Name) -}}
{{- $stored := lookup "v1" "ConfigMap" $.Release.Namespace . | default dict -}}
{{- $body := get ($stored.data | default dict) "body.json" | default "{}" | fromJson -}}
{{- $key = $key | default $body.idempotency_key -}}
{{- end -}}
{{- end -}}
{{- $key | default (printf "%s-%s" .Release.Name (now | unixEpoch)) -}}
{{- end -}}

{{/* What is posted, built here so that no shell has to quote it. */}}
{{- define "ingestor.body" -}}
{{- $body := dict "ingest_config" (include "ingestor.ingestConfig" .) "idempotency_key" (include "ingestor.idempotencyKey" .) -}}
{{- with (.Values.image).digest }}{{ $_ := set $body "image_digest" . }}{{ end -}}
{{- toJson $body -}}
{{- end -}}
