#!/bin/sh
# A Slurm array over one file of requests in the form of OpenAI's batches: task i of N answers every
# N-th request. A task that ran out of time goes on where it was when it is started again.
#   sbatch --array=0-7 slurm.sh MODEL REQUESTS.jsonl FOLDER
#   cat FOLDER/*.jsonl          # when all have ended
#SBATCH --job-name=rondo
#SBATCH --cpus-per-task=8
#SBATCH --requeue
set -eu
model=$1 requests=$2 folder=$3
task=$SLURM_ARRAY_TASK_ID tasks=$SLURM_ARRAY_TASK_COUNT
mkdir -p "$folder"
awk -v task="$task" -v tasks="$tasks" 'NR % tasks == task' "$requests" >"$folder/$task.requests"
rondo batch "$model" "$folder/$task.requests" -o "$folder/$task.jsonl" --force \
  --threads "${SLURM_CPUS_PER_TASK:-1}"
