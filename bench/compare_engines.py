#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs scenes on several engines in turn (A B A B ...), each run in a process of its own, and compares them.

    compare_engines.py --bin build/release/bench [--scenes LIST] [--repeats N] [--engine NAME=COMMAND ...]

The first engine is step_bench of this project; step_bench_bullet and step_bench_ode of the same directory follow when
they were built; `--engine` adds any program that takes the same options
(--scene NAME --steps N --threads N --sleep 0|1 --seconds S) and prints one JSON line with the same keys:
cpu_ms and wall_ms {median, p99, last_third}, deepest_penetration, deepest_penetration_run, mean_penetration (metres or
null), memory_mb, hash; docs/performance.md describes them.

A scene is written NAME[@STEPS][+sleep]. Time is the CPU clock for one thread and the wall clock for more; the ratio is
ours divided by theirs for each repeat, as median [least, greatest]. Prints a Markdown table, and with --json FILE writes
every run and every ratio.
"""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys

DEFAULT_SCENES = "pyr50,pyr3d15,rain1000,sparse,sparse+sleep,stack20,cards,domino"
# In these scenes, and where bodies may fall asleep, the settled end of the run counts; the start would hide it.
LAST_THIRD = ("rain",)


def parse_scene(text):
    name, _, sleep = text.partition("+")
    if sleep not in ("", "sleep"):
        raise ValueError(f"scene {text!r}: only +sleep is known")
    name, _, steps = name.partition("@")
    return {"text": text, "name": name, "steps": int(steps) if steps else None, "sleep": sleep == "sleep"}


def parse_engine(text):
    name, separator, command = text.partition("=")
    if not separator or not name or not command:
        raise ValueError(f"engine {text!r}: NAME=COMMAND is wanted")
    return name, shlex.split(command)


def run(command, scene, options):
    arguments = ["--scene", scene["name"], "--threads", str(options.threads), "--sleep", str(int(scene["sleep"])),
                 "--seconds", str(options.seconds)]
    if scene["steps"]:
        arguments += ["--steps", str(scene["steps"])]
    done = subprocess.run(command + arguments, stdout=subprocess.PIPE, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        print(f"{shlex.join(command + arguments)}: exit code {done.returncode}, no JSON line", file=sys.stderr)
        return None


def time_of(result, scene, options):
    clock = result["cpu_ms"] if options.threads == 1 else result["wall_ms"]
    return clock["last_third" if scene["sleep"] or scene["name"].startswith(LAST_THIRD) else "median"]


def measure(engines, scene, options):
    """{engine: [result or None per repeat]}; one repeat of every engine before the next repeat of any."""
    results = {name: [] for name, _ in engines}
    for repeat in range(options.repeats):
        for name, command in engines:
            if repeat > 0 and results[name][0] is None:
                results[name].append(None)  # it cannot do this scene
                continue
            results[name].append(run(command, scene, options))
            print(".", end="", file=sys.stderr, flush=True)
    print(f" {scene['text']}", file=sys.stderr)
    return results


def summarize(engines, scene, results, options):
    """One row per engine: medians over the repeats, and the ratio of our time to its time."""
    ours = results[engines[0][0]]
    rows = []
    for name, _ in engines:
        runs = [r for r in results[name] if r]
        if not runs:
            rows.append({"engine": name, "scene": scene["text"], "failed": True})
            continue
        row = {"engine": name, "scene": scene["text"], "version": runs[0].get("engine"), "runs": len(runs),
               "steps": min(r["steps"] for r in runs),
               "ms": statistics.median(time_of(r, scene, options) for r in runs),
               "p99_ms": statistics.median((r["cpu_ms"] if options.threads == 1 else r["wall_ms"])["p99"] for r in runs),
               "memory_mb": max(r.get("memory_mb") or 0 for r in runs),
               "hashes": sorted({r["hash"] for r in runs})}
        for key in ("deepest_penetration", "deepest_penetration_run", "mean_penetration"):
            row[key] = runs[0].get(key)
        ratios = [time_of(a, scene, options) / time_of(b, scene, options)
                  for a, b in zip(ours, results[name]) if a and b and time_of(b, scene, options) > 0]
        if name != engines[0][0] and ratios:
            row["ratio"] = {"median": statistics.median(ratios), "least": min(ratios), "greatest": max(ratios)}
        if row["steps"] < max(r["steps"] for all_runs in results.values() for r in all_runs if r):
            print(f"compare_engines: {name} did only {row['steps']} steps of {scene['text']}: see --seconds", file=sys.stderr)
        rows.append(row)
    return rows


def millimetres(metres):
    return "-" if metres is None else f"{1e3 * metres:.3g}"


def markdown(rows, threads):
    clock = "CPU" if threads == 1 else "wall"
    lines = [f"| scene | engine | {clock} ms per step | p99 | ours / theirs | deepest, mm: end / run | mean, mm | MB |",
             "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        if row.get("failed"):
            lines.append(f"| {row['scene']} | {row['engine']} | failed | | | | | |")
            continue
        ratio = row.get("ratio")
        spread = f"{ratio['median']:.2f} [{ratio['least']:.2f}, {ratio['greatest']:.2f}]" if ratio else ""
        lines.append(f"| {row['scene']} | {row['engine']} | {row['ms']:.3g} | {row['p99_ms']:.3g} | {spread} "
                     f"| {millimetres(row['deepest_penetration'])} / {millimetres(row['deepest_penetration_run'])} "
                     f"| {millimetres(row['mean_penetration'])} | {row['memory_mb']:.0f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="directory with step_bench and its peers")
    parser.add_argument("--scenes", default=DEFAULT_SCENES, help=f"comma separated; default {DEFAULT_SCENES}")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120, help="wall time after which a run ends early")
    parser.add_argument("--engine", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--json", help="file for all runs and ratios")
    options = parser.parse_args()
    try:
        scenes = [parse_scene(text) for text in options.scenes.split(",")]
        added = [parse_engine(text) for text in options.engine]
    except ValueError as error:
        parser.error(str(error))
    engines = [("sunder", [os.path.join(options.bin, "step_bench")])]
    for name in ("bullet", "ode"):
        program = os.path.join(options.bin, f"step_bench_{name}")
        if os.path.exists(program) and options.threads == 1:
            engines.append((name, [program]))
    engines += added

    rows, runs = [], []
    for scene in scenes:
        results = measure(engines, scene, options)
        if not any(results["sunder"]):
            sys.exit(f"compare_engines: step_bench did not run {scene['text']}")
        rows += summarize(engines, scene, results, options)
        runs += [{"engine_name": name, "repeat": i, **r} for name, all_runs in results.items()
                 for i, r in enumerate(all_runs) if r]
        for name, all_runs in results.items():
            if len({(r["hash"], r["steps"]) for r in all_runs if r}) > 1:
                print(f"compare_engines: {name} gave different results of {scene['text']}", file=sys.stderr)
    print(markdown(rows, options.threads))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"threads": options.threads, "repeats": options.repeats, "rows": rows, "runs": runs}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
