//! Claims at a node that limits submissions.

use std::num::NonZeroU32;

use super::*;

#[tokio::test]
async fn claims_in_flight_all_get_past_a_limit_of_one_submission_a_second() {
    let config = Config::for_tests().with_rate_limit(NonZeroU32::MIN);
    let node = nodeproof_devnode::spawn(config).await.unwrap();
    let world = TestEnvironment {
        client: Client::new(node.base_url()).unwrap(),
        node,
        folder: tempfile::tempdir().unwrap(),
    };
    let in_flight = (0..3).map(|task| {
        let (client, wallet) = (world.client.clone(), world.wallet(0));
        let claims = (0..2).map(|number| world.claim(&format!("{task}-{number}")));
        let claims: Vec<Claim> = claims.collect();
        let node = Arc::clone(world.node.node());
        let folder = world.folder.path().join(task.to_string());
        std::fs::create_dir(&folder).unwrap();
        async move {
            for claim in claims {
                let node = Arc::clone(&node);
                let options = ClaimOptions {
                    interval: Duration::from_millis(1),
                    call: CallOptions {
                        submit: SubmitPolicy {
                            longest_pause: Duration::from_secs(1),
                            ..SubmitPolicy::default()
                        },
                        ..CallOptions::default()
                    },
                    on_step: OnStep::new(move |step| make_block(&node, step)),
                    ..ClaimOptions::default()
                };
                let file = folder.join(&claim.asset_id);
                let outcome = claim.make(&client, &[&wallet], file, &options).await;
                assert!(outcome.unwrap().record().is_some());
            }
        }
    });
    let in_flight: tokio::task::JoinSet<()> = in_flight.collect();
    in_flight.join_all().await;
}
