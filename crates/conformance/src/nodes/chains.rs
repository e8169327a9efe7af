//! Decides which nodes left the chain of most nodes, and since which block.

use super::content::Content;

/// The blocks of several nodes, compared in ascending order.
pub(crate) struct Chains {
    /// The nodes that left the majority earlier. They do not count in a majority.
    left: Vec<bool>,
    /// Number of nodes that must have a block before nodes without a majority are reported.
    least: usize,
    nodes: Vec<Blocks>,
}

/// The blocks of one node.
#[derive(Clone, Debug, Default)]
struct Blocks {
    /// The highest block that is the same at most nodes.
    agreed: Option<u64>,
    /// The first block that differs.
    first: Option<u64>,
    /// The blocks that differ, up to the highest compared one.
    streak: Option<Streak>,
    /// Whether the highest compared block of the node could be decided. Otherwise, blocks below it show nothing about it.
    is_decided: bool,
}

#[derive(Clone, Copy, Debug)]
struct Streak {
    since: u64,
    blocks: u64,
    /// Whether one of them is linked to another block before it. An altered member alone is not another chain.
    is_linked: bool,
}

/// How the blocks of a node compare with those of most nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// No block could be compared, or there was no majority.
    Unknown,
    Same,
    /// The node has another block at this index, and the same blocks later.
    OtherBlock(u64),
    /// All compared blocks from this index on differ, and are linked differently.
    OtherChain {
        since: u64,
        /// The highest compared block below that is the same.
        agreed: Option<u64>,
    },
}

impl Chains {
    pub(crate) fn new(left: Vec<bool>, least: usize) -> Self {
        let nodes = vec![Blocks::default(); left.len()];
        Self { left, least, nodes }
    }

    /// Adds the block at an index. Returns whether each node differs, if that is known.
    pub(crate) fn add(&mut self, index: u64, contents: &[Option<Content>]) -> Vec<Option<bool>> {
        let differs = self.differing(contents, None);
        let links = self.differing(contents, Some("previous_hash"));
        for (place, (node, differs)) in self.nodes.iter_mut().zip(&differs).enumerate() {
            if contents[place].is_some() {
                node.is_decided = differs.is_some();
            }
            match differs {
                Some(true) => {
                    node.first.get_or_insert(index);
                    let streak = node.streak.get_or_insert(Streak {
                        since: index,
                        blocks: 0,
                        is_linked: false,
                    });
                    streak.blocks += 1;
                    streak.is_linked |= links[place] == Some(true);
                }
                Some(false) => {
                    node.agreed = Some(index);
                    node.streak = None;
                }
                None => {}
            }
        }
        differs
    }

    /// Returns the standing of each node after all blocks.
    pub(crate) fn standings(&self) -> Vec<Standing> {
        let standing = |node: &Blocks| match (node.streak, node.first, node.agreed) {
            (
                Some(Streak {
                    since,
                    blocks: 2..,
                    is_linked: true,
                }),
                _,
                agreed,
            ) => Standing::OtherChain { since, agreed },
            (_, Some(first), _) => Standing::OtherBlock(first),
            (_, None, Some(_)) if node.is_decided => Standing::Same,
            (_, None, _) => Standing::Unknown,
        };
        self.nodes.iter().map(standing).collect()
    }

    /// Returns whether each node differs from most nodes in some member, or in this one. The result is `None` if there
    /// is no majority.
    fn differing(&self, contents: &[Option<Content>], only: Option<&str>) -> Vec<Option<bool>> {
        let mut differs = vec![None; contents.len()];
        let mut undecided = vec![false; contents.len()];
        let mut members: Vec<_> = contents.iter().flatten().flat_map(Content::keys).collect();
        members.sort_unstable();
        members.dedup();
        members.retain(|member| only.is_none_or(|only| **member == only));
        for member in members {
            let groups = groups_of(contents, member);
            let voters = |group: &[usize]| group.iter().filter(|node| !self.left[**node]).count();
            let all: usize = groups.iter().map(|group| voters(group)).sum();
            let most = groups.iter().position(|group| voters(group) * 2 > all);
            let is_alone = groups.iter().map(Vec::len).sum::<usize>() < 2;
            for (place, group) in groups.iter().enumerate() {
                for node in group {
                    match most {
                        _ if is_alone => {}
                        Some(most) if most == place => {
                            differs[*node].get_or_insert(false);
                        }
                        Some(_) => differs[*node] = Some(true),
                        None if all >= self.least => differs[*node] = Some(true),
                        None => undecided[*node] = true,
                    }
                }
            }
        }
        for (differs, undecided) in differs.iter_mut().zip(undecided) {
            *differs = differs.filter(|differs| *differs || !undecided);
        }
        differs
    }
}

/// Returns the nodes that have a member, in groups with the same value.
fn groups_of(contents: &[Option<Content>], member: &str) -> Vec<Vec<usize>> {
    let mut groups: Vec<(_, Vec<usize>)> = Vec::new();
    for (node, content) in contents.iter().enumerate() {
        let Some(value) = content.as_ref().and_then(|content| content.get(member)) else {
            continue;
        };
        match groups
            .iter_mut()
            .find(|(known, _)| *known == value.fingerprint)
        {
            Some((_, nodes)) => nodes.push(node),
            None => groups.push((value.fingerprint, vec![node])),
        }
    }
    groups.into_iter().map(|(_, nodes)| nodes).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::content::ContentValue,
        Standing::{OtherBlock, OtherChain, Same, Unknown},
        *,
    };
    use crate::checks::Fingerprint;

    /// Compares blocks. Each text has a letter for each node: its chain, or `-` for a missing block.
    fn standings(left: &str, least: usize, blocks: &[(u64, &str)]) -> Vec<Standing> {
        let left = left.chars().map(|one| one == 'x').collect();
        let mut chains = Chains::new(left, least);
        for (index, text) in blocks {
            let contents = text.chars().map(|chain| {
                let value = ContentValue {
                    fingerprint: Fingerprint::of(&chain.to_string()),
                    shown: chain.to_string(),
                };
                let member = if chain.is_uppercase() {
                    "proof"
                } else {
                    "previous_hash"
                };
                (chain != '-').then(|| Content::from([(member, value)]))
            });
            chains.add(*index, &contents.collect::<Vec<_>>());
        }
        chains.standings()
    }

    const fn chain(since: u64, agreed: Option<u64>) -> Standing {
        OtherChain { since, agreed }
    }

    #[test]
    fn a_node_that_left_earlier_does_not_count() {
        let forked = [(88, "aaab"), (408, "a--b"), (409, "a--b")];
        // The healthy node is not reported, although only two nodes are high enough.
        let expected = [Same, Same, Same, chain(88, None)];
        assert_eq!(standings("...x", 3, &forked), expected);
        assert_eq!(standings("....", 3, &forked[..1])[3], OtherBlock(88));
        // Nobody left earlier, and a third node will have the block later.
        let high = [(408, "a--b"), (409, "a--b")];
        assert_eq!(standings("....", 3, &high), [Unknown; 4]);
        // The blocks at the height of a lagging node say nothing about the later ones.
        let lagging = [(20, "aa-"), (408, "a-b"), (409, "a-b")];
        assert_eq!(standings("...", 3, &lagging), [Unknown, Same, Unknown]);
        // Two nodes that left agree with each other.
        assert_eq!(standings(".xx", 3, &[(7, "abb"), (8, "abb")])[0], Same);
        assert_eq!(standings(".xx", 3, &[(7, "-bb"), (8, "-bb")]), [Unknown; 3]);
        // It is back.
        assert_eq!(standings("..x", 3, &[(7, "aaa"), (8, "aaa")]), [Same; 3]);
    }

    #[test]
    fn another_chain_is_one_and_another_block_is_not() {
        let blocks = [(6, "aaa"), (7, "aab"), (8, "aab"), (9, "aa-")];
        assert_eq!(
            standings("...", 3, &blocks),
            [Same, Same, chain(7, Some(6))]
        );
        // The same member of all blocks is altered.
        let blocks = [(6, "AAB"), (7, "AAB"), (8, "AAB")];
        assert_eq!(standings("...", 3, &blocks), [Same, Same, OtherBlock(6)]);
        let blocks = [(6, "aaa"), (7, "aab"), (8, "aaa"), (9, "aaa")];
        assert_eq!(standings("...", 3, &blocks), [Same, Same, OtherBlock(7)]);
    }

    #[test]
    fn without_a_majority_each_of_enough_nodes_differs() {
        let two = [(7, "ab"), (8, "ab")];
        assert_eq!(standings("..", 2, &two), [chain(7, None); 2]);
        let four = [(7, "aabb"), (8, "aabb")];
        assert_eq!(standings("....", 3, &four), [chain(7, None); 4]);
        assert_eq!(standings("..", 2, &[(7, "a-")]), [Unknown; 2]);
    }
}
