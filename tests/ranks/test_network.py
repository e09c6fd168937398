"""Ranks in network namespaces of their own, as on machines of their own: slow and lossy links, and a link that is cut.

    test_network.py PROGRAM

Links are delayed and lose packets by the netem queue of tc; where the kernel has none, by a narrow tbf queue, which delays
packets and drops those that do not fit. Skipped (77) without root, mpirun, ip or tc.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_mpirun  # noqa: E402

NODES = 3
# Nodes have folders for temporary files of their own, as machines have: daemons that make the same folder at once fail.
AGENT = """#!/bin/sh
host=$1
shift
export TMPDIR=$(dirname "$0")/${host##*.}
mkdir -p "$TMPDIR"
exec ip netns exec node${host##*.} sh -c "$*"
"""


def system(*words):
    return subprocess.run(words, capture_output=True, text=True)


def need(*words):
    done = system(*words)
    if done.returncode != 0:
        sys.exit(f"test_network: {' '.join(words)}: {done.stderr}")


def make_network():
    """A bridge here, and a node for each rank behind a link of its own."""
    need("ip", "link", "set", "lo", "up")
    need("ip", "link", "add", "bridge0", "type", "bridge")
    need("ip", "addr", "add", "10.77.0.254/24", "dev", "bridge0")
    need("ip", "link", "set", "bridge0", "up")
    for node in range(1, NODES + 1):
        need("ip", "netns", "add", f"node{node}")
        need("ip", "link", "add", f"port{node}", "type", "veth", "peer", "name", "eth0", "netns", f"node{node}")
        need("ip", "link", "set", f"port{node}", "master", "bridge0", "up")
        need("ip", "-n", f"node{node}", "addr", "add", f"10.77.0.{node}/24", "dev", "eth0")
        need("ip", "-n", f"node{node}", "link", "set", "lo", "up")
        need("ip", "-n", f"node{node}", "link", "set", "eth0", "up")


def slow_links():
    """How the links are slowed down."""
    names = [("-n", f"node{node}", "dev", "eth0") for node in range(1, NODES + 1)]
    how = ("netem", "delay", "2ms", "1ms", "loss", "0.5%")
    if system("tc", *names[0][:2], "qdisc", "add", *names[0][2:], "root", *how).returncode != 0:
        how = ("tbf", "rate", "40mbit", "burst", "16kb", "limit", "24kb")
        need("tc", *names[0][:2], "qdisc", "add", *names[0][2:], "root", *how)
    for name in names[1:]:
        need("tc", *name[:2], "qdisc", "add", *name[2:], "root", *how)
    return " ".join(how)


def packets_dropped():
    done = system("tc", "-n", "node1", "-s", "qdisc", "show", "dev", "eth0").stdout
    return int(done.split("dropped ")[1].split(",")[0])


class NetworkTest(test_mpirun.MpirunTest):
    def setUp(self):
        super().setUp()
        agent = self.folder / "agent.sh"
        agent.write_text(AGENT)
        agent.chmod(0o755)
        self.agent = str(agent)

    def words(self, ranks, *words):
        if ranks == 0:
            return [test_mpirun.PROGRAM, *words]
        hosts = ",".join(f"10.77.0.{node}:1" for node in range(1, ranks + 1))
        return ["mpirun", "-n", str(ranks), "-H", hosts, "--mca", "plm_rsh_agent", self.agent, "--mca", "btl", "tcp,self",
                "--mca", "btl_tcp_if_include", "10.77.0.0/24", "--mca", "oob_tcp_if_include", "10.77.0.0/24",
                "--wdir", os.getcwd(), test_mpirun.PROGRAM, *words]

    def run_program(self, place, ranks, *words, accepted=(0, 3, 4)):
        before = os.getcwd()
        os.chdir(place)
        try:
            return super().run_program(place, ranks, *words, accepted=accepted)
        finally:
            os.chdir(before)

    def test_SlowLossyLinks_GiveTheFilesOfASerialRun(self):
        for options, shards in (("--method sgld --step-size 1e-4 --iterations 3000", ""),
                                ("--method nuts --iterations 60 --warmup 60", " --shards 16")):
            serial = self.sample("serial" + options.split()[1], 0, options + shards)
            found = self.sample("nodes" + options.split()[1], NODES, options + (shards and shards + " --shard-rows"))
            self.assert_same(serial, found)
        print(f"packets dropped on the way from rank 0: {packets_dropped()}")

    def test_LinkThatIsCut_EndsEveryRank_AndTheRunIsResumed(self):
        place = self.place("cut")
        os.chdir(place)
        options = self.LONG.split()
        process = self.start_long(place, NODES, ["sample", "model.stan", "--data", "data.json", "--chains", "3", "--out", "run",
                                                 "--quiet", *options])
        until = time.monotonic() + 60
        while len(list((place / "run").glob("*.checkpoint")) if (place / "run").exists() else []) < 4:
            self.assertLess(time.monotonic(), until)
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        processes = ranks_on_nodes()
        self.assertEqual(len(processes), NODES)
        need("ip", "link", "set", "port2", "down")
        start = time.monotonic()
        try:
            while any(os.path.exists(f"/proc/{number}") and state_of(number) != "Z" for number in processes.values()):
                self.assertLess(time.monotonic() - start, 10, "a rank is left over")
                time.sleep(0.05)
        finally:
            need("ip", "link", "set", "port2", "up")
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
        self.assertIn("rank 1 (process", errors)
        self.assertIn("has not answered", errors)
        os.chdir(self.folder)
        self.run_program(place, 2, "resume", "run", "--quiet")
        expected = self.sample("cut-serial", 0, self.LONG)
        self.assert_same(expected, test_mpirun.contents(place / "run"))


def state_of(number):
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


def ranks_on_nodes():
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
            program = os.readlink(entry / "exe")
            same_user_space = os.readlink(entry / "ns/mnt")
        except OSError:
            continue
        rank = [part for part in environment if part.startswith(b"OMPI_COMM_WORLD_RANK=")]
        if rank and program == test_mpirun.PROGRAM and same_user_space:
            found[int(rank[0].split(b"=")[1])] = int(entry.name)
    return found


def main():
    if os.geteuid() != 0 or not all(shutil.which(tool) for tool in ("mpirun", "ip", "tc", "unshare")):
        print("test_network: skipped, for it needs root, mpirun, ip, tc and unshare")
        sys.exit(77)
    program = os.path.realpath(sys.argv[1])
    if "--inside" not in sys.argv:  # nothing of the machine's own network is touched
        sys.exit(subprocess.run(["unshare", "--net", "--mount", sys.executable, __file__, program, "--inside"]).returncode)
    need("mount", "-t", "tmpfs", "none", "/run")
    test_mpirun.PROGRAM = program
    make_network()
    print(f"links: {slow_links()}")
    tests = [NetworkTest("test_SlowLossyLinks_GiveTheFilesOfASerialRun"),
             NetworkTest("test_LinkThatIsCut_EndsEveryRank_AndTheRunIsResumed")]
    result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(tests))
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
