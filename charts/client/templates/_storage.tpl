{{/*
The volumes of a release. `mode` is what the workloads of different user ids need of the directory: setgid and writable for
all; sticky only where nobody may remove what another one wrote. MySQL's directory has none: it is the database's business.
The installer proves the same modes before Helm starts (src/storage/layout.ts); a test holds one against the other.
*/}}
{{- define "client.volumes" -}}
data: { claim: client-pvc, size: 50Gi, mount: /data/shared, mode: "2777" }
logs: { claim: client-logs-pvc, size: 10Gi, mount: /data/logs, mode: "3777" }
mysql: { claim: mysql-pvc, size: 2Gi, mount: /var/lib/mysql }
{{- end -}}

{{/* (list root "data"): the directory of a volume in the node. Only data follows datasetPath: InnoDB does not survive NFS. */}}
{{- define "client.nodeDirectory" -}}
{{- $root := index . 0 -}}
{{- $base := "/tracebloc" -}}
{{- if eq (index . 1) "data" }}{{ $base = ($root.Values.hostPath).datasetPath | default $base }}{{ end -}}
{{- regexReplaceAll "/+$" $base "" }}/{{ $root.Release.Name }}/{{ index . 1 -}}
{{- end -}}

{{- define "client.storageClassName" -}}
{{- $class := .Values.storageClass | default dict -}}
{{- if $class.create -}}
{{ .Release.Name }}-storage-class
{{- else -}}
{{- required "storageClass.name is required when storageClass.create is false; see: kubectl get storageclass" $class.name -}}
{{- end -}}
{{- end -}}

{{- define "client.accessMode" -}}
{{- $default := "ReadWriteMany" -}}
{{- if (.Values.hostPath).enabled }}{{ $default = "ReadWriteOnce" }}{{ end -}}
{{- .Values.pvcAccessMode | default $default -}}
{{- end -}}

{{/*
(list root "data"): the claim of a volume and, in hostPath mode, what it is bound to. Both outlive the release: a kept claim
without its volume is lost, and a volume that goes is held by its finalizer, which hangs an uninstall that waits.
claimRef names the claim, so that no other one takes the volume.
*/}}
{{- define "client.volume" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $volume := get (include "client.volumes" $root | fromYaml) $name -}}
{{- $size := get ($root.Values.pvc | default dict) $name | default $volume.size -}}
{{- if ($root.Values.hostPath).enabled -}}
apiVersion: v1
kind: PersistentVolume
metadata:
  name: {{ $root.Release.Name }}-{{ $name }}-pv
  labels:
    {{- include "client.labels" $root | nindent 4 }}
  annotations:
    helm.sh/resource-policy: keep
spec:
  capacity:
    storage: {{ $size }}
  accessModes:
    - ReadWriteOnce
  persistentVolumeReclaimPolicy: Retain
  storageClassName: {{ include "client.storageClassName" $root | quote }}
  claimRef:
    name: {{ $volume.claim }}
    namespace: {{ $root.Release.Namespace }}
  hostPath:
    path: {{ include "client.nodeDirectory" . | quote }}
    type: DirectoryOrCreate
---
{{ end -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ $volume.claim }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "client.labels" $root | nindent 4 }}
  annotations:
    helm.sh/resource-policy: keep
spec:
  accessModes:
    - {{ include "client.accessMode" $root }}
  storageClassName: {{ include "client.storageClassName" $root | quote }}
  resources:
    requests:
      storage: {{ $size }}
{{- end -}}
