import { Button, Group, Title, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useRef } from "react";
import { priceBooksQuery } from "@/api/catalog";
import classes from "./advice.module.css";
import { AdviceForm, type FormProps } from "./advice-form";
import { type AskedOf, askedParts } from "./asked-words";
import type { Fold } from "./use-fold";

interface AskedProps extends FormProps, Omit<AskedOf, "book"> {
  readonly fold: Fold;
  readonly undo: { readonly undo: (() => void) | null; readonly isLast: boolean };
  /** What the form asks besides. */
  readonly children?: ReactNode;
}

/** What is asked: a bar in words, so that the answer comes first, which opens as the form. */
export function Asked(props: AskedProps) {
  const { fold, undo, state } = props;
  const books = useQuery(priceBooksQuery()).data ?? [];
  const book = books.find(({ id }) => id === state.price_book)?.name;
  const toggle = useRef<HTMLButtonElement>(null);
  const id = useId();
  const { isOpen } = fold;
  return (
    <section
      ref={fold.panel}
      className={`tw-panel ${isOpen ? "" : (classes["folded"] ?? "")}`}
      aria-label="What is asked"
    >
      <div className={classes["asked"]}>
        <Title order={2} size="h4" className={classes["askedTitle"] ?? ""}>
          What is asked
        </Title>
        <Group gap="xs" wrap="nowrap" className={classes["askedActions"] ?? ""}>
          {undo.undo !== null && (
            <Button
              size="xs"
              variant="default"
              title="Take the last change of the question back"
              onClick={() => {
                undo.undo?.();
                if (undo.isLast) {
                  toggle.current?.focus();
                }
              }}
            >
              Undo
            </Button>
          )}
          <Button
            ref={toggle}
            size="xs"
            variant="default"
            aria-expanded={isOpen}
            aria-controls={id}
            aria-label={isOpen ? "Fold what is asked" : "Change what is asked"}
            onClick={() => (isOpen ? fold.fold() : fold.open())}
          >
            {isOpen ? "Fold" : "Change"}
          </Button>
        </Group>
        {!isOpen && (
          <ul className={classes["askedParts"]}>
            {askedParts({ ...props, book }).map(({ name, text, at, isInChips }) => (
              <li key={name} className={isInChips ? classes["inChips"] : undefined}>
                <UnstyledButton
                  className={classes["askedPart"] ?? ""}
                  onClick={() => fold.open(at)}
                >
                  <span className={classes["askedName"]}>{name}:</span> {text}
                </UnstyledButton>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen && (
          <>
            <AdviceForm
              state={state}
              search={props.search}
              patch={props.patch}
              at={fold.at}
            />
            {props.children !== undefined && (
              <div data-field="dirty_share" className={classes["openedSection"]}>
                {props.children}
              </div>
            )}
          </>
        )}
      </div>
    </section>
  );
}
