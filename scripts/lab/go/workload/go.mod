module tracebloc.test/lab/workload

go 1.26
