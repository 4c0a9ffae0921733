/** The workloads of an address, each with its rate: those on one machine, or those that systems are chosen for. */
import { readBy } from "./address";

/** A workload, and its rate where one was stated. */
export interface Member {
  readonly id: string;
  /** Page accesses per second; null: that of production, or as recorded. */
  readonly rate: number | null;
}

/** As many as the server places on systems at once. */
export const MOST_PLACED = 6;
/** As many as the server composes at once. */
export const MOST_WORKLOADS = 32;
export const MOST_RATE = 1e15;
const BETWEEN = ",";
const MEMBER = /^([a-z0-9][a-z0-9._-]{0,99})(?::([0-9][0-9.e+-]{0,24}))?$/;

/** Reads the workloads of an address; null where one of them cannot be read. */
export function readMembers(text: string): readonly Member[] | null {
  const members = text.split(BETWEEN).map((each): Member | null => {
    const [, id, rate] = MEMBER.exec(each) ?? [];
    if (id === undefined) {
      return null;
    }
    const value = rate === undefined ? null : Number(rate);
    return value === null || (value > 0 && value <= MOST_RATE)
      ? { id, rate: value }
      : null;
  });
  return members.length <= MOST_WORKLOADS && members.every((each) => each !== null)
    ? members
    : null;
}

/** The workloads as they stand in an address; absent where there is none. */
export const writeMembers = (members: readonly Member[]): string | undefined =>
  members.length === 0
    ? undefined
    : members
        .map(({ id, rate }) => (rate === null ? id : `${id}:${rate}`))
        .join(BETWEEN);

/** The workloads as a part of an address. */
export const membersText = readBy((value) => {
  // An id that looks like a number comes as a number.
  const text = String(value);
  return readMembers(text) === null ? undefined : text;
}, `the ids of at most ${MOST_WORKLOADS} workloads, each with its rate if that is stated, such as orders,logs:5000`);
