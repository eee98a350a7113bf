package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// write makes a dataset of folders and files in a directory, which is created too.
//
// Folders are 0777: they belong to the writer (uid 65534), the remover is another uid (65532) of another group, and POSIX lets
// it empty only folders that it may write. No mode of the data directory above changes that. `--folders=0755` shows it.
func write(args []string) error {
	flags := flag.NewFlagSet("write", flag.ContinueOnError)
	folders := flags.String("folders", "0777", "octal mode of the folders")
	if err := flags.Parse(args); err != nil {
		return err
	}
	mode, err := strconv.ParseUint(*folders, 8, 12)
	if err != nil {
		return fmt.Errorf("--folders=%s: not an octal mode", *folders)
	}
	base, err := directory(flags.Args())
	if err != nil {
		return err
	}
	who()
	syscall.Umask(0)
	for _, folder := range []string{"train", "train/images", "test"} {
		path := filepath.Join(base, folder)
		if err := os.MkdirAll(path, os.FileMode(mode)); err != nil {
			return err
		}
		for _, file := range []string{"1.csv", "2.csv", "3.csv"} {
			if err := os.WriteFile(filepath.Join(path, file), []byte("id,label\n1,a\n"), 0o644); err != nil {
				return err
			}
		}
		fmt.Printf("wrote 3 files in %s (%04o)\n", path, mode)
	}
	return nil
}

// remove takes away a directory with all that is in it, and fails on the first thing that stays.
func remove(args []string) error {
	path, err := directory(args)
	if err != nil {
		return err
	}
	who()
	if _, err := os.Lstat(path); err != nil {
		return err // os.RemoveAll takes an absent directory for a success
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	fmt.Printf("removed %s\n", path)
	return nil
}

func directory(args []string) (string, error) {
	if len(args) != 1 || !filepath.IsAbs(args[0]) {
		return "", fmt.Errorf("expected one absolute directory, got %q", args)
	}
	return args[0], nil
}

func who() {
	fmt.Printf("as uid %d, gid %d\n", os.Getuid(), os.Getgid())
}
