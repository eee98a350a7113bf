{{- define "client.autoUpgradeName" -}}{{ .Release.Name }}-auto-upgrade{{- end -}}
{{- define "client.imageRefreshName" -}}{{ .Release.Name }}-image-refresh{{- end -}}

{{/* Seconds of a duration of one unit: 10m is 600. */}}
{{- define "client.seconds" -}}
{{- $unit := dict "s" 1 "m" 60 "h" 3600 -}}
{{- mul (regexFind "^[0-9]+" . | int) (get $unit (regexFind "[smh]$" .)) -}}
{{- end -}}

{{/*
"true" when images are moved on by a job: it is on, some image has a tag to follow, and all come from Docker Hub, which
it asks. Behind a mirror it would set images that the site may not pull.
*/}}
{{- define "client.imageRefresh" -}}
{{- if and (.Values.imageRefresh).enabled (include "client.refreshedImages" .) }}true{{ end -}}
{{- end -}}

{{/* The images that follow their tag, as words: their digest is not given, and Docker Hub has them. */}}
{{- define "client.refreshedImages" -}}
{{- $root := . -}}
{{- $keys := list "jobsManager" "podsMonitor" -}}
{{- if include "client.resourceMonitor" . }}{{ $keys = append $keys "resourceMonitor" }}{{ end -}}
{{- $followed := list -}}
{{- range $keys -}}
{{- $source := include "client.imageSource" (list $root .) | fromYaml -}}
{{- if and (not $source.digest) (eq "docker.io" (include "client.registry" (list $root $source.registry))) -}}
{{- $followed = append $followed . -}}
{{- end -}}
{{- end -}}
{{- join " " $followed -}}
{{- end -}}
