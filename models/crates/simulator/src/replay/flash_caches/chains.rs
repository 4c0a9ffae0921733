//! Doubly linked lists through numbered nodes: any number of lists, a node in at most one of them.

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// The ends of one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) oldest: u32,
    pub(super) newest: u32,
}

impl Ends {
    pub(super) const EMPTY: Self = Self {
        oldest: NONE,
        newest: NONE,
    };
}

/// What lies before and behind each node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Links(Vec<[u32; 2]>);

const OLDER: usize = 0;
const NEWER: usize = 1;

impl Links {
    pub(super) fn new(nodes: usize) -> Self {
        Self(vec![[NONE; 2]; nodes])
    }

    /// Makes room for the nodes `0..nodes`.
    pub(super) fn grow(&mut self, nodes: usize) {
        if nodes > self.0.len() {
            self.0.resize(nodes, [NONE; 2]);
        }
    }

    /// Reads what is kept of some nodes, and then of those beside them, all at once.
    pub(super) fn fetch(&self, nodes: &[u32]) {
        let links = || nodes.iter().map(|&node| self.0[node as usize]);
        let mixed = links().fold(0, |mixed, [older, _]| mixed ^ older);
        std::hint::black_box(mixed);
        // Without a branch: a node at an end has none beside it.
        let last = self.0.len() - 1;
        let beside = links()
            .flatten()
            .map(|node| self.0[last.min(node as usize)]);
        std::hint::black_box(beside.fold(0, |mixed, [older, _]| mixed ^ older));
    }

    /// The next newer node of the same list.
    #[inline]
    pub(super) fn newer(&self, node: u32) -> u32 {
        self.0[node as usize][NEWER]
    }

    /// The next older node of the same list.
    #[inline]
    pub(super) fn older(&self, node: u32) -> u32 {
        self.0[node as usize][OLDER]
    }

    /// Puts a node that is in no list at the new end of one.
    #[inline]
    pub(super) fn push(&mut self, ends: &mut Ends, node: u32) {
        self.0[node as usize] = [ends.newest, NONE];
        match self.0.get_mut(ends.newest as usize) {
            Some(newest) => newest[NEWER] = node,
            None => ends.oldest = node,
        }
        ends.newest = node;
    }

    /// Puts a node that is in no list before another of one, and before none at its new end.
    pub(super) fn push_before(&mut self, ends: &mut Ends, node: u32, before: u32) {
        if before == NONE {
            self.push(ends, node);
            return;
        }
        let older = self.older(before);
        self.0[node as usize] = [older, before];
        self.0[before as usize][OLDER] = node;
        match self.0.get_mut(older as usize) {
            Some(older) => older[NEWER] = node,
            None => ends.oldest = node,
        }
    }

    /// Takes a node out of the list that it is in.
    #[inline]
    pub(super) fn remove(&mut self, ends: &mut Ends, node: u32) {
        let [older, newer] = self.0[node as usize];
        match self.0.get_mut(older as usize) {
            Some(older) => older[NEWER] = newer,
            None => ends.oldest = newer,
        }
        match self.0.get_mut(newer as usize) {
            Some(newer) => newer[OLDER] = older,
            None => ends.newest = older,
        }
    }

    /// Moves a node to the new end of the list that it is in.
    #[inline]
    pub(super) fn renew(&mut self, ends: &mut Ends, node: u32) {
        if ends.newest != node {
            self.remove(ends, node);
            self.push(ends, node);
        }
    }

    /// Takes the node at the old end out, if there is one.
    #[inline]
    pub(super) fn pop(&mut self, ends: &mut Ends) -> Option<u32> {
        let node = ends.oldest;
        if node == NONE {
            return None;
        }
        self.remove(ends, node);
        Some(node)
    }

    /// The nodes of a list, oldest first.
    pub(super) fn iter(&self, ends: Ends) -> impl Iterator<Item = u32> {
        let some = |node: u32| (node != NONE).then_some(node);
        std::iter::successors(some(ends.oldest), move |&node| some(self.newer(node)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn chains_behave_like_vectors(steps in prop::collection::vec((0_u32..12, 0_usize..3, 0_usize..12), 0..200)) {
            let mut links = Links::new(12);
            let mut ends = [Ends::EMPTY; 3];
            let mut model: [Vec<u32>; 3] = Default::default();
            for (node, list, place) in steps {
                let held = model.iter().position(|nodes| nodes.contains(&node));
                match held {
                    Some(at) if at == list => {
                        links.renew(&mut ends[at], node);
                        model[at].retain(|&other| other != node);
                        model[at].push(node);
                    }
                    Some(at) => {
                        links.remove(&mut ends[at], node);
                        model[at].retain(|&other| other != node);
                    }
                    None if node == 0 => {
                        let popped = links.pop(&mut ends[list]);
                        let expected = (!model[list].is_empty()).then(|| model[list].remove(0));
                        prop_assert_eq!(popped, expected);
                    }
                    None if place % 2 == 0 => {
                        links.push(&mut ends[list], node);
                        model[list].push(node);
                    }
                    None => {
                        let at = place.min(model[list].len());
                        let before = model[list].get(at).copied().unwrap_or(NONE);
                        links.push_before(&mut ends[list], node, before);
                        model[list].insert(at, node);
                    }
                }
                for (ends, nodes) in ends.iter().zip(&model) {
                    prop_assert_eq!(&links.iter(*ends).collect::<Vec<_>>(), nodes);
                    let backwards = std::iter::successors(
                        (ends.newest != NONE).then_some(ends.newest),
                        |&node| Some(links.older(node)).filter(|&node| node != NONE),
                    );
                    prop_assert!(backwards.eq(nodes.iter().rev().copied()));
                }
            }
        }
    }
}
