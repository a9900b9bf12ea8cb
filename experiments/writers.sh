#!/usr/bin/env bash
# Self-play that aims at what the model does not know, RL on what it played, Absolute Zero, and iterated rejection
# sampling: where examples can come from if nobody writes them.
#
#   bash experiments/writers.sh MODEL WORLD OUT [selfplay | half | gold | played | zero | sampling | trained]...
#
# Without parts, all of them run, one after another; `gold` and `played` need the results of `selfplay`. An interrupted
# command continues. MODEL is a folder. docs/results.md has the results of Qwen2.5-Coder-1.5B-Instruct in world 2001
# (names+parameters) on one H200, where two such commands ran at the same time: `selfplay gold` and `half sampling`.
# Four trainings of this model do not fit into its memory.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '5s/^# *//p' "$0" >&2; exit 2; }
model=$1 world=$2 out=$3
shift 3
all="selfplay half gold played zero sampling trained"
parts=${*:-$all}
for part in $parts; do
    case " $all " in *" $part "*) ;; *) echo "no part '$part'; use $all" >&2; exit 2 ;; esac
done
here=$(dirname "$0")
pack=${PACK:-4096} steps=${STEPS:-20} targets=${TARGETS:-80} proposals=${PROPOSALS:-8} epochs=${EPOCHS:-8}
rounds=${ROUNDS:-2}

learn() { sebench learn "$@" --model "$model" --form subject --lr 2e-5 --precision bf16 --pack-tokens "$pack" \
    --epochs "$epochs" --save-minutes 30 --probe-every -1; }
ask() { sebench run "$world" --max-tokens 320 --batch "${batch:-256}" "$@"; }
closed() { ask --model "$1" --split single_test --book closed --out "$2" "${@:3}"; }
play() { sebench selfplay "$world" --model "$model" --proposer first --solver first --targets "$targets" \
    --proposals "$proposals" --propose-tokens 400 --samples 8 --above 0.125 --also-learn "$out/halves/known.jsonl" \
    --split single_test --batch 256 --learn form=subject --learn lr=2e-5 --learn precision=bf16 \
    --learn pack_tokens="$pack" --learn epochs="$epochs" \
    --learn save_minutes=30 "$@"; }

halves() { [ -e "$out/halves/known.jsonl" ] || python3 "$here/half.py" "$world" --out "$out/halves"; }

# One round without aim, on top of gold for half of the functions; then, from it, two kinds of second rounds:
# about the functions that the model misses, and about those with the fewest questions.
selfplay() {
    halves
    play --rounds 1 --aim fewest --out "$out/fewest"
    if [ ! -e "$out/missed" ]; then
        rm -rf "$out/missed.part"  # of an interrupted command
        cp -r "$out/fewest" "$out/missed.part"
        sed -i 's/"fewest"/"missed"/' "$out/missed.part/selfplay.json"
        mv "$out/missed.part" "$out/missed"
    fi
    play --rounds "$rounds" --aim missed --out "$out/missed"
    play --rounds "$rounds" --aim fewest --out "$out/fewest"
}

# The half alone, and with as many gold answers about the other functions as self-play found.
half() {
    halves
    learn closed-sft "$world" --examples "$out/halves/known.jsonl" --out "$out/half"
    closed "$out/half" "$out/run-half"
}
gold() {
    found=$(wc -l < "$out/missed/round-$rounds/examples.jsonl")
    [ -e "$out/gold/other.jsonl" ] || python3 "$here/half.py" "$world" --others "$found" --out "$out/gold"
    learn closed-sft "$world" --examples "$out/gold/known.jsonl,$out/gold/other.jsonl" --out "$out/half-gold"
    closed "$out/half-gold" "$out/run-half-gold"
}

# Right open-book answers to the training questions, learnt with the book closed; then again from the model that did.
sampling() {
    own() { ask --model "$1" --split train --book open --distractors 0 --samples 4 --temperature 0.7 --out "$2"; }
    own "$model" "$out/own-0"
    for n in 1 2; do
        learn closed-sft "$world" --examples "$out/own-$((n - 1))" --out "$out/star-$n"
        closed "$out/star-$n" "$out/run-star-$n"
        own "$out/star-$n" "$out/own-$n"
    done
}

# A memory for a model that has learnt the library.
trained() {
    learn closed-sft "$world" --out "$out/sft"
    closed "$out/sft" "$out/run-sft"
    [ -e "$out/pages" ] || sebench memory pages "$world" --out "$out/pages"
    batch=64 closed "$out/sft" "$out/run-sft-pages" --memory "$out/pages"
}

rl() { # METHOD NAME SETTING...
    sebench learn "$1" "$world" --model "$model" --lr 1e-6 --steps "$steps" --samples 8 --precision bf16 \
        --pack-tokens "$pack" --save-minutes 30 --probe-every -1 --out "$out/$2" "${@:3}"
    closed "$out/$2" "$out/run-$2"
}
zero() { rl absolute-zero zero --tasks-per-step 16 --max-tokens 400; }
played() { rl closed-rl played --examples "$out/fewest/round-1" --tasks-per-step 32 --pass-at 8 --least-mixed 0; }

for part in $parts; do "$part"; done
