import { Alert, Button, Text, useMantineColorScheme } from "@mantine/core";
import { Link, Outlet, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Page } from "@/components/page";
import { CommandPalette } from "./command-palette";
import { InputChips } from "./input-chips";
import { KeysHelp } from "./keys-help";
import { Navigation } from "./navigation";
import classes from "./shell.module.css";
import { useGlobalKeys } from "./use-global-keys";
import { useLightPrint } from "./use-light-print";
import { useScrollRoom } from "./use-scroll-room";

export function Shell() {
  const [panel, setPanel] = useState<"palette" | "keys" | null>(null);
  useLightPrint();
  const header = useScrollRoom();
  useGlobalKeys({
    "/": () => setPanel("palette"),
    "?": () => setPanel("keys"),
  });
  return (
    <>
      <a className="tw-skip" href="#content">
        Skip to content
      </a>
      <header className={classes["header"]} ref={header}>
        <div className={classes["bar"]}>
          <Link to="/" className={classes["brand"]} aria-label="Tierwright, start page">
            <img src="/icon.svg" alt="" width={24} height={24} />
            Tierwright
          </Link>
          <Navigation />
          <div className={classes["tools"]}>
            <Button
              size="xs"
              variant="default"
              onClick={() => setPanel("palette")}
              aria-keyshortcuts="/"
            >
              Search <kbd className={classes["key"]}>/</kbd>
            </Button>
            <Button
              size="xs"
              variant="default"
              onClick={() => setPanel("keys")}
              aria-keyshortcuts="?"
              aria-label="Keyboard shortcuts"
            >
              <kbd className={classes["key"]}>?</kbd>
            </Button>
            <ColorSchemeButton />
          </div>
        </div>
        <InputChips />
      </header>
      <main id="content" tabIndex={-1} className={classes["main"]}>
        <RefusedAddress />
        <Outlet />
      </main>
      <CommandPalette opened={panel === "palette"} onClose={() => setPanel(null)} />
      <KeysHelp opened={panel === "keys"} onClose={() => setPanel(null)} />
    </>
  );
}

const NEXT_SCHEME = { auto: "light", light: "dark", dark: "auto" } as const;
const SCHEME_SIGN = { auto: "◐", light: "○", dark: "●" } as const;
const SCHEME_TITLE = { auto: "System", light: "Light", dark: "Dark" } as const;

function ColorSchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Button
      size="xs"
      variant="default"
      w={100}
      aria-label={`Colours: ${SCHEME_TITLE[colorScheme]}; switch to ${SCHEME_TITLE[NEXT_SCHEME[colorScheme]]}`}
      onClick={() => setColorScheme(NEXT_SCHEME[colorScheme])}
    >
      <span aria-hidden="true" style={{ marginRight: 6 }}>
        {SCHEME_SIGN[colorScheme]}
      </span>
      {SCHEME_TITLE[colorScheme]}
    </Button>
  );
}

function RefusedAddress() {
  const { refused } = useSearch({ strict: false });
  const navigate = useNavigate();
  if (refused === undefined) {
    return null;
  }
  return (
    <Alert
      role="alert"
      color="orange"
      styles={{ title: { color: "var(--tw-warn)" } }}
      variant="outline"
      mb="md"
      title="Part of this address was not valid"
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={() =>
        void navigate({
          to: ".",
          search: (search) => ({ ...search, refused: undefined }),
          replace: true,
        })
      }
    >
      <Text size="sm">
        {refused}. Default values are used instead; check them below.
      </Text>
    </Alert>
  );
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <Text>
        There is no page at this address. Go to the <Link to="/">start page</Link>, or
        press <kbd>/</kbd> to search.
      </Text>
    </Page>
  );
}
