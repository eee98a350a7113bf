{{/* Labels of every object. */}}
{{- define "ingestor.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "ingestor.submitName" -}}{{ .Release.Name }}-submit{{- end -}}

{{/*
Not <release>-config: under that name the chart before this one leaves a ConfigMap that no release owns, and Helm takes
over no such object.
*/}}
{{- define "ingestor.configName" -}}{{ .Release.Name }}-ingest-config{{- end -}}

{{- define "ingestor.serviceAccount" -}}
{{ (.Values.serviceAccount).name | default "ingestor" }}
{{- end -}}

{{/* Where the jobs manager takes submissions. */}}
{{- define "ingestor.submitUrl" -}}
{{- $manager := .Values.jobsManager | default dict -}}
{{- $endpoint := $manager.endpoint | default (printf "http://jobs-manager.%s.svc.cluster.local:8080" .Release.Namespace) -}}
{{- trimSuffix "/" $endpoint }}/{{ $manager.submitPath | default "/internal/submit-ingestion-run" | trimPrefix "/" -}}
{{- end -}}

{{/* Seconds that the jobs manager has to answer. */}}
{{- define "ingestor.answerSeconds" -}}
{{ .Values.hookTimeoutSeconds | default 30 | int64 }}
{{- end -}}

{{/* "true" on OpenShift, which refuses a pod that pins a user id outside its project's range. */}}
{{- define "ingestor.onOpenShift" -}}
{{- if or ((.Values.openshift).scc).enabled (.Capabilities.APIVersions.Has "security.openshift.io/v1") }}true{{ end -}}
{{- end -}}
