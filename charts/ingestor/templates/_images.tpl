{{/* What the image is where values say nothing. Kept here for values that hold null. Its tags never move. */}}
{{- define "ingestor.imageDefaults" -}}
hookImage: { repository: curlimages/curl, tag: "8.10.1", pinned: true }
{{- end -}}

{{/*
(list root "hookImage"): registry, repository, tag, digest, pullPolicy and pinned of an image, as a map. Empty values count
as absent. A registry in front of the repository is taken for what it is: before there was a mirror to name, it went there.
*/}}
{{- define "ingestor.imageSource" -}}
{{- $root := index . 0 -}}
{{- $source := dict -}}
{{- $given := get $root.Values (index . 1) | default dict -}}
{{- range list $given (get (include "ingestor.imageDefaults" $root | fromYaml) (index . 1)) -}}
{{- range $field, $value := . -}}
{{- if and $value (not (hasKey $source $field)) }}{{ $_ := set $source $field (toString $value) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $inFront := regexFind "^([^/]*[.:][^/]*|localhost)/" $source.repository -}}
{{- if $inFront -}}
{{- $_ := set $source "repository" (trimPrefix $inFront $source.repository) -}}
{{- $_ := set $source "registry" ($source.registry | default $inFront) -}}
{{- end -}}
{{- toYaml $source -}}
{{- end -}}

{{/* (list root "ghcr.io"): where an image comes from. The mirror replaces the registry; people paste it with a scheme and a slash. */}}
{{- define "ingestor.registry" -}}
{{- $mirror := ((index . 0).Values.global).imageRegistry | default "" | trim -}}
{{- $registry := $mirror | default (index . 1) | default "docker.io" -}}
{{- regexReplaceAll "^[A-Za-z][A-Za-z0-9+.-]*://|/+$" $registry "" -}}
{{- end -}}

{{/* (list root "hookImage"): the image of a container. A digest wins over a tag, the mirror over the image's own registry. */}}
{{- define "ingestor.image" -}}
{{- $source := include "ingestor.imageSource" . | fromYaml -}}
{{- include "ingestor.registry" (list (index . 0) $source.registry) }}/{{ $source.repository -}}
{{- if $source.digest }}@{{ $source.digest }}{{ else }}:{{ $source.tag }}{{ end -}}
{{- end -}}

{{/* (list root "hookImage"): what is pinned is never asked for again. */}}
{{- define "ingestor.pullPolicy" -}}
{{- $source := include "ingestor.imageSource" . | fromYaml -}}
{{- $policy := "Always" -}}
{{- if or $source.digest $source.pinned }}{{ $policy = "IfNotPresent" }}{{ end -}}
{{- $source.pullPolicy | default (index . 0).Values.imagePullPolicy | default $policy -}}
{{- end -}}

{{/* (list root "hookImage"): image and policy, as a container names them. */}}
{{- define "ingestor.containerImage" -}}
image: {{ include "ingestor.image" . | quote }}
imagePullPolicy: {{ include "ingestor.pullPolicy" . }}
{{- end -}}

{{/* The Secret that the pod pulls with, or nothing. */}}
{{- define "ingestor.pullSecretName" -}}
{{- $registry := .Values.dockerRegistry | default dict -}}
{{- if and $registry.create $registry.existingSecret -}}
{{- fail "dockerRegistry.create and dockerRegistry.existingSecret exclude each other; keep one of them" -}}
{{- end -}}
{{- if $registry.create }}{{ .Release.Name }}-regcred{{ else }}{{ $registry.existingSecret | default "" }}{{ end -}}
{{- end -}}
