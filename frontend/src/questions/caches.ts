import { text } from "./address";

const MOST_NAMES = 500;

/** Names of flash caches, separated by commas. */
export const CACHES = text(MOST_NAMES);
