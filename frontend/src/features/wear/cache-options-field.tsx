import { DraftInput } from "@/components/draft-input";
import type { WearSearch } from "@/questions/wear";

type OptionsSearch = Pick<WearSearch, "cache_options">;

const words = (text: string): string[] =>
  text.split(/\s+/).filter((word) => word !== "");

/** The options that the address names. */
export const cacheOptionsOf = (search: OptionsSearch): string[] =>
  words(search.cache_options ?? "");

/** Each word is an option: of all flash caches that have it, or of the one before the colon. */
const NAMED = /^([^:=\s]+:)?[^:=\s]+=\S+$/;

/** With which options the chosen flash caches are replayed. */
export function CacheOptionsField(props: {
  readonly search: OptionsSearch;
  readonly patch: (change: OptionsSearch) => void;
}) {
  return (
    <DraftInput
      label="Options of the flash caches"
      shown={props.search.cache_options ?? ""}
      placeholder="Defaults"
      description="NAME=VALUE, or CACHE:NAME=VALUE for one of them. With cachelib:small=0 and cachelib:small_percent=4, CacheLib has small objects beside large ones, and is shown with one write stream and with two (FDP)."
      read={(typed) => {
        const wrong = words(typed).find((word) => !NAMED.test(word));
        return wrong === undefined
          ? { ok: true, value: words(typed).join(" ") }
          : {
              ok: false,
              error: `${wrong} is not an option: write NAME=VALUE or CACHE:NAME=VALUE, separated by spaces.`,
            };
      }}
      onChange={(value) => props.patch({ cache_options: value || undefined })}
    />
  );
}
