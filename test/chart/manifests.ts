/** Kubernetes objects as far as the tests read them. */
export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  type?: string;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: unknown;
};

export type Container = {
  name: string;
  image: string;
  imagePullPolicy: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: {
    name: string;
    value?: string;
    valueFrom?: { secretKeyRef?: { name: string; key: string }; fieldRef?: { fieldPath: string } };
  }[];
  ports?: { name: string; containerPort: number }[];
  resources: Record<string, Record<string, string>>;
  securityContext: {
    runAsUser?: number;
    runAsGroup?: number;
    runAsNonRoot?: boolean;
    privileged?: boolean;
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    capabilities: { drop: string[]; add?: string[] };
  };
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  volumeMounts?: { name: string; mountPath: string; subPath?: string; readOnly?: boolean }[];
};

export type Probe = { tcpSocket?: { port: number }; exec?: { command: string[] } } & Record<string, unknown>;

export type PodTemplate = {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    serviceAccountName?: string;
    automountServiceAccountToken?: boolean;
    priorityClassName?: string;
    restartPolicy?: string;
    terminationGracePeriodSeconds?: number;
    imagePullSecrets?: { name: string }[];
    nodeSelector?: Record<string, string>;
    tolerations?: Record<string, string>[];
    securityContext?: Record<string, unknown>;
    initContainers?: Container[];
    containers: Container[];
    volumes?: {
      name: string;
      persistentVolumeClaim?: { claimName: string };
      hostPath?: { path: string; type?: string };
      configMap?: { name: string };
      secret?: { secretName: string };
    }[];
  };
};

export type Deployment = Manifest & {
  spec: {
    replicas: number;
    strategy?: { type: string };
    selector: { matchLabels: Record<string, string> };
    template: PodTemplate;
  };
};

export type DaemonSet = Manifest & {
  spec: { selector: { matchLabels: Record<string, string> }; updateStrategy: object; template: PodTemplate };
};

export type Job = Manifest & {
  spec: {
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    template: PodTemplate;
  };
};

export type CronJob = Manifest & {
  spec: Record<string, unknown> & { schedule: string; jobTemplate: { spec: Job["spec"] } };
};

export type Volume = Manifest & {
  spec: {
    capacity: { storage: string };
    accessModes: string[];
    persistentVolumeReclaimPolicy: string;
    storageClassName: string;
    claimRef: { name: string; namespace: string };
    hostPath: { path: string; type: string };
  };
};

export type Claim = Manifest & {
  spec: {
    accessModes: string[];
    storageClassName: string;
    volumeName?: string;
    resources: { requests: { storage: string } };
  };
};

export type Service = Manifest & {
  spec: { type: string; selector: Record<string, string>; ports: { port: number; targetPort: number }[] };
};

export type Role = Manifest & {
  rules: { apiGroups: string[]; resources: string[]; resourceNames?: string[]; verbs: string[] }[];
};
