{{/* (list root "storage-assertions" "-5"): labels and annotations of what `helm test` makes. Other programs find checks by these labels. */}}
{{- define "client.checkMetadata" -}}
{{- $root := index . 0 -}}
labels:
  {{- include "client.labels" $root | nindent 2 }}
  {{- include "client.checkLabels" (index . 1) | nindent 2 }}
annotations:
  helm.sh/hook: test
  helm.sh/hook-weight: {{ index . 2 | quote }}
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{- define "client.checkLabels" -}}
tracebloc.io/seal-check: "true"
tracebloc.io/seal-check-name: {{ . }}
{{- end -}}

{{/* (list root uid): what the profile `restricted` asks of a pod whose image has a user of its own, or root. */}}
{{- define "client.plainUser" -}}
runAsNonRoot: true
{{- if not (include "client.onOpenShift" (index . 0)) }}
runAsUser: {{ index . 1 }}
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "client.plainContainer" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "client.backendUrl" -}}
{{- $channel := include "client.clientEnv" . -}}
https://{{ if ne $channel "prod" }}{{ $channel }}-{{ end }}api.tracebloc.io/
{{- end -}}
