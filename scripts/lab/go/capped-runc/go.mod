module tracebloc.test/lab/capped-runc

go 1.26
