import { Menu, UnstyledButton } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { holds, PLACES, type PlaceOfPages } from "@/questions/navigation";
import classes from "./shell.module.css";

/** The five places of the menu; the one of the present page is marked. */
export function Navigation() {
  const { pathname } = useLocation();
  return (
    <nav aria-label="Pages" className={classes["nav"]}>
      {PLACES.map((place) => {
        const isHere = holds(place, pathname);
        return "pages" in place ? (
          <PlaceMenu key={place.label} place={place} isHere={isHere} />
        ) : (
          <Link
            key={place.to}
            to={place.to}
            className={classes["link"]}
            activeOptions={{ includeSearch: false }}
            // The router marks the page itself; this, what leads to it.
            {...(isHere ? { "aria-current": "true" as const } : {})}
          >
            {place.label}
          </Link>
        );
      })}
    </nav>
  );
}

/** A place that holds several pages: a button that opens their list. */
function PlaceMenu(props: { readonly place: PlaceOfPages; readonly isHere: boolean }) {
  const { place, isHere } = props;
  const [opened, setOpened] = useState(false);
  return (
    <Menu
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      offset={4}
      transitionProps={{ duration: 0 }}
      // The first entry takes the focus; a placeholder would be a child that no menu may have.
      withInitialFocusPlaceholder={false}
      // Its links belong to the menu of pages, also for who hears them.
      withinPortal={false}
    >
      <Menu.Target>
        <UnstyledButton
          className={classes["link"] ?? ""}
          aria-current={isHere ? "true" : undefined}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key === "ArrowDown") {
              event.preventDefault();
              setOpened(true);
            }
          }}
        >
          {place.label}
          <span aria-hidden="true" className={classes["more"]}>
            ▾
          </span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown aria-label={place.label}>
        {place.pages.map(({ to, label }, at) => (
          <Menu.Item
            key={to}
            data-autofocus={at === 0 || undefined}
            className={classes["entry"] ?? ""}
            onKeyDown={onSpace}
            renderRoot={(rest) => (
              <Link to={to} activeOptions={{ includeSearch: false }} {...rest} />
            )}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** An entry of a menu is opened by the space bar too, which a link by itself is not. */
function onSpace(event: KeyboardEvent<HTMLElement>): void {
  if (event.key === " ") {
    event.preventDefault();
    event.currentTarget.click();
  }
}
